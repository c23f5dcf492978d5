use agent::{
    policy::AgentPolicy,
    session::{AgentSession, AgentSessionStatus},
};
use model::{
    base::{Id, NotificationSubject, RecordName, RecordType, Talk, UserId},
    people::{OrganizationEntry, Permission},
    updates::{FeedAction, NotificationKind},
    work::{Comment, ServiceRequest, TicketMessage},
};
use serde::Deserialize;

use crate::updates::{FeedChange, UnlistedChange};

use super::{
    mentions::Mentions,
    notice::{Audience, Notice, RepeatedMention, Said},
};

/// The fields of a record of any type that users are notified of.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Work {
    assignee_id: Option<UserId>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Webhook {
    id: i64,
    disabled_reason: Option<String>,
}

impl Notice {
    pub fn of(change: &FeedChange) -> Vec<Self> {
        if change.entry.action == FeedAction::Deleted {
            return Vec::new();
        }
        let mut notices = match *change.entry.of.kind {
            RecordType::ServiceRequest => of_request(change),
            RecordType::Comment => of_comment(change),
            RecordType::TicketMessage => of_message(change),
            RecordType::AgentSession => of_session(change),
            _ => of_work(change),
        };
        for notice in &mut notices {
            notice.project = change.entry.project_id;
        }
        notices
    }

    pub fn of_unlisted(change: &UnlistedChange) -> Vec<Self> {
        match *change.kind {
            RecordType::AgentPolicy => of_policy(change),
            RecordType::Webhook => of_webhook(change),
            RecordType::OrganizationEntry => of_entry(change),
            _ => Vec::new(),
        }
    }
}

fn cause_of(change: &FeedChange) -> String {
    named(change.entry.of, change.entry.version.unwrap_or_default())
}

fn named(of: RecordName, version: i64) -> String {
    format!("{}-{}-{version}", of.kind.name(), of.record_id)
}

/// The name of a mention in a record's text, which edits may add and remove.
fn mention_in(change: &FeedChange) -> RepeatedMention {
    let RecordName { kind, record_id } = change.entry.of;
    RepeatedMention {
        name: format!("{}-{record_id}-mentioned", kind.name()),
        is_edit: change.entry.action != FeedAction::Created,
    }
}

pub(super) fn creation_of(on: Talk) -> String {
    format!("{}-{}-1", on.kind().name(), on.id())
}

/// The assignment of a record, and the mentions in its description. None of a record that is no
/// subject.
fn of_work(change: &FeedChange) -> Vec<Notice> {
    let mut notices = Vec::new();
    let RecordName { kind, record_id } = change.entry.of;
    let Some(subject) = NotificationSubject::of(*kind, record_id) else {
        return notices;
    };
    let before: Work = change.before().unwrap_or_default();
    let after: Work = change.after().unwrap_or_default();
    let is_other = after.assignee_id != before.assignee_id;
    let assigned = after.assignee_id.filter(|_| is_other);
    let to_change = |kind, to| Notice {
        actor: change.entry.actor,
        write_id: change.entry.write_id.clone(),
        ..Notice::new(kind, cause_of(change), subject, to)
    };
    notices
        .extend(assigned.map(|user| to_change(NotificationKind::Assigned, Audience::User(user))));
    let before = before.description;
    let after = after.description;
    if let Some(mentions) = Mentions::added(before.as_deref(), after.as_deref()) {
        notices.push(Notice {
            repeated: Some(mention_in(change)),
            ..to_change(NotificationKind::Mentioned, Audience::Named(mentions))
        });
    }
    notices
}

/// As [`of_work`]. A request with the handover of a manual action asks for that action.
fn of_request(change: &FeedChange) -> Vec<Notice> {
    let mut notices = of_work(change);
    let request = change.after::<ServiceRequest>();
    let hands_over = |request: ServiceRequest| {
        request.agent_action.is_some()
            && !request
                .status
                .is_over(request.resolved_at)
    };
    if request.is_some_and(hands_over) {
        for notice in &mut notices {
            if notice.kind == NotificationKind::Assigned {
                notice.kind = NotificationKind::ActionNeeded;
            }
        }
    }
    notices
}

fn of_comment(change: &FeedChange) -> Vec<Notice> {
    let before: Option<Comment> = change.before();
    let Some(after) = change.after::<Comment>() else {
        return Vec::new();
    };
    let kind = after.thread.kind();
    let id = after.thread.id().get();
    let Some(subject) = NotificationSubject::of(kind, id) else {
        return Vec::new();
    };
    let said = Said {
        on: after.thread.into(),
        at: after.created_at,
        id: after.id.get(),
    };
    let old = before.as_ref();
    let old = old.and_then(|comment| comment.content.as_deref());
    of_text(change, subject, said, (old, after.content.as_deref()))
}

fn of_message(change: &FeedChange) -> Vec<Notice> {
    let before: Option<TicketMessage> = change.before();
    let Some(message) = change.after::<TicketMessage>() else {
        return Vec::new();
    };
    let subject = message.ticket_id.into();
    let said = Said {
        on: message.ticket_id.into(),
        at: message.created_at,
        id: message.id.get(),
    };
    let old = before.as_ref();
    let old = old.and_then(|message| message.content.as_deref());
    of_text(change, subject, said, (old, message.content.as_deref()))
}

/// The notices of a comment or message with its text before and after.
fn of_text(
    change: &FeedChange,
    subject: NotificationSubject,
    said: Said,
    (before, after): (Option<&str>, Option<&str>),
) -> Vec<Notice> {
    let notice = |kind, to| Notice {
        actor: change.entry.actor,
        write_id: change.entry.write_id.clone(),
        internal: change.entry.internal,
        said: Some(said),
        ..Notice::new(kind, cause_of(change), subject, to)
    };
    let notice = |kind, to| match said.on.thread() {
        Some(_) => notice(kind, to),
        None => notice(kind, to).quoting(after.unwrap_or_default()),
    };
    let mut notices = Vec::new();
    if let Some(mentions) = Mentions::added(before, after) {
        let mentioned = notice(NotificationKind::Mentioned, Audience::Named(mentions));
        // The first message of a ticket is told with the ticket.
        let may_repeat = said.comment().is_some() || before.is_some();
        notices.push(Notice {
            repeated: may_repeat.then(|| mention_in(change)),
            ..mentioned
        });
    }
    if change.entry.action == FeedAction::Created {
        notices.push(notice(NotificationKind::Commented, Audience::Talk(said)));
    }
    notices
}

fn of_session(change: &FeedChange) -> Vec<Notice> {
    let Some(after) = change.after::<AgentSession>() else {
        return Vec::new();
    };
    let awaits = |session: &AgentSession| {
        let awaits = session.status == AgentSessionStatus::AwaitingConfirmation;
        awaits.then_some(session.plan.proposal)
    };
    let before = change
        .before::<AgentSession>()
        .as_ref()
        .and_then(awaits);
    if awaits(&after).is_none() || before == awaits(&after) {
        return Vec::new();
    }
    let subject = after.id.into();
    let actor = after
        .people
        .proposed_by
        .or(change.entry.actor);
    let notice = Notice::of_proposal(after, cause_of(change), subject, change.entry.at);
    vec![Notice { actor, ..notice }]
}

fn of_policy(change: &UnlistedChange) -> Vec<Notice> {
    let Some(after) = change.after::<AgentPolicy>() else {
        return Vec::new();
    };
    let before = change.before::<AgentPolicy>();
    let before = before.unwrap_or_else(|| AgentPolicy::none(after.organization_id));
    // The request announced what is in force a day later.
    let is_confirmed = change.actor.is_some() && after.is_looser_than(&before);
    let says = if after.pending.is_some() && after.pending != before.pending {
        after.announces()
    } else {
        is_confirmed.then(|| {
            format!(
                "Now: {}",
                after
                    .allows_more_than(&before)
                    .join("; ")
            )
        })
    };
    let Some(says) = says else {
        return Vec::new();
    };
    let id = after.organization_id.get();
    let holders = Audience::Holders(Permission::ManageOrganization);
    let notice = for_admins(change, NotificationKind::PolicyLoosened, id, holders);
    notice
        .into_iter()
        .map(|notice| notice.quoting(&says))
        .collect()
}

fn of_webhook(change: &UnlistedChange) -> Vec<Notice> {
    let before = change.before::<Webhook>();
    let before = before.and_then(|webhook| webhook.disabled_reason);
    let Some(Webhook {
        id,
        disabled_reason,
    }) = change.after()
    else {
        return Vec::new();
    };
    let Some(why) = disabled_reason.filter(|_| before.is_none()) else {
        return Vec::new();
    };
    let holders = Audience::Holders(Permission::ManageOrganization);
    let notice = for_admins(change, NotificationKind::WebhookDisabled, id, holders);
    let notice = notice.into_iter();
    notice
        .map(|notice| notice.quoting(&why))
        .collect()
}

/// The entry of a change that guards the organization.
fn of_entry(change: &UnlistedChange) -> Vec<Notice> {
    // The erasure of a user rewrites entries.
    if change
        .before::<OrganizationEntry>()
        .is_some()
    {
        return Vec::new();
    }
    let entry = change.after::<OrganizationEntry>();
    let Some(entry) = entry.filter(|entry| entry.guards) else {
        return Vec::new();
    };
    let kind = NotificationKind::GuardChanged;
    let notice = for_admins(change, kind, entry.seq, Audience::Admins).into_iter();
    let said = format!("{}: {}", entry.event.name(), entry.subjects.join(", "));
    let notice = notice.map(|mut notice| {
        notice.actor = entry.actor.user_id;
        notice.quoting(&said)
    });
    notice.collect()
}

/// A notice for admins of a change of an item. None of an item that is no subject.
fn for_admins(
    change: &UnlistedChange,
    kind: NotificationKind,
    id: i64,
    to: Audience,
) -> Option<Notice> {
    let cause = format!("{}-{id}-{}", change.kind.name(), change.version);
    let subject = NotificationSubject::of(*change.kind, id)?;
    let mut notice = Notice::new(kind, cause, subject, to);
    notice.actor = change.actor;
    notice
        .write_id
        .clone_from(&change.write_id);
    Some(notice)
}
