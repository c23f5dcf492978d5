//! Notices: the effects of a change, before their users are known.

use agent::session::AgentSession;
use model::{
    base::{
        CommentId, Id, NotificationSubject, ProjectId, Talk, Timestamp, UserId,
        characters::{beginning, on_one_line},
    },
    people::Permission,
    updates::NotificationKind,
};

use super::mentions::Mentions;

/// The most characters of an excerpt.
const EXCERPT: usize = 200;

/// A kind of notification for some users.
#[derive(Clone, Debug)]
pub struct Notice {
    pub(super) kind: NotificationKind,
    /// The name of what it follows from. A user gets one notification of a cause.
    pub(super) cause: String,
    /// Another name under which a user gets one notification, however often it comes.
    pub(super) repeated: Option<RepeatedMention>,
    pub(super) subject: NotificationSubject,
    /// The project of the subject. Users who do not see it are not notified.
    pub(super) project: Option<ProjectId>,
    /// The user who acted, who is not notified.
    pub(super) actor: Option<UserId>,
    /// The id of the write that it follows from.
    pub(super) write_id: Option<String>,
    /// The comment or message that was written.
    pub(super) said: Option<Said>,
    /// A text that never changes. Those that may are read with the notification.
    pub(super) excerpt: Option<String>,
    pub(super) internal: bool,
    pub(super) to: Audience,
}

/// The name of a mention in a text that may be edited.
#[derive(Clone, Debug)]
pub(super) struct RepeatedMention {
    pub(super) name: String,
    /// True if an edit added it. A user who has another reason to be notified of the edit gets
    /// that: the mention may be an old one.
    pub(super) is_edit: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Audience {
    User(UserId),
    /// The users whom the text did not mention before.
    Named(Mentions),
    /// The creator, the assignee and those who wrote before this.
    Talk(Said),
    Holders(Permission),
    /// All admins by role who are not disabled.
    Admins,
    /// All users whose approval the session awaits.
    Approvers(Box<AgentSession>),
}

/// A comment or a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) on: Talk,
    pub(super) at: Timestamp,
    pub(super) id: i64,
}

impl Said {
    pub(super) fn comment(self) -> Option<CommentId> {
        self.on
            .thread()
            .and_then(|_| CommentId::new(self.id))
    }
}

impl Notice {
    pub(super) fn new(
        kind: NotificationKind,
        cause: String,
        subject: NotificationSubject,
        to: Audience,
    ) -> Self {
        Self {
            kind,
            cause,
            repeated: None,
            subject,
            project: None,
            actor: None,
            write_id: None,
            said: None,
            excerpt: None,
            internal: false,
            to,
        }
    }

    pub(super) fn of_proposal(
        session: AgentSession,
        cause: String,
        subject: NotificationSubject,
        now: Timestamp,
    ) -> Self {
        let excerpt = session.approval_request(EXCERPT, now);
        let to = Audience::Approvers(Box::new(session));
        let mut notice = Self::new(NotificationKind::ApprovalNeeded, cause, subject, to);
        notice.excerpt = excerpt;
        notice
    }

    pub(super) fn quoting(mut self, text: &str) -> Self {
        self.excerpt = Some(excerpt(text));
        self
    }
}

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let text = on_one_line(text);
    let line = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    match beginning(&line, EXCERPT) {
        part if part.len() < line.len() => format!("{part}…"),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_short_line() {
        let line = excerpt(" Move\r\n\tthe  invoices\u{202e}. ");
        assert_eq!(line, "Move the invoices.");
        assert_eq!(excerpt(&"ä".repeat(201)), format!("{}…", "ä".repeat(200)));
        assert_eq!(excerpt(&"ä".repeat(200)), "ä".repeat(200));
    }
}
