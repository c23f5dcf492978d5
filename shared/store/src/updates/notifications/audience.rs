use std::collections::{BTreeSet, HashMap, HashSet};

use agent::{
    alert::AlertStatus,
    policy::Approvers,
    session::{AgentSession, SessionContext},
};
use futures::{FutureExt, StreamExt, TryStreamExt, future::OptionFuture, stream};
use model::{
    base::{HistoryEntry, HistoryOf, Id, RecordType, Talk, Timestamp, UserId},
    people::{Permission, User},
};
use table::{AnyKey, Batch, Key, Read};

use crate::{
    Result, Tenant,
    agent::policy_in,
    base::records::{Involved, Participant},
    key::{self, Keyed},
    updates::Notifications,
};

use super::{
    changes::creation_of,
    mentions::Mention,
    notice::{Audience, Notice, Said},
};

/// The most users, by username, among whom admins and approvers are found.
const USERS: usize = 1_000;

/// Threads read at the same time.
const CONCURRENCY: usize = 10;

/// All that the audiences of some notices follow from.
pub(super) struct Audiences {
    tenant: Tenant,
    found: Batch,
    /// The users who wrote on each record.
    participants: HashMap<Talk, Vec<Participant>>,
    users: Vec<User>,
}

impl Notifications<'_> {
    /// Reads what the audiences follow from: a batch, and beside it the participants of each
    /// thread, and the users if one of the audiences is found among all.
    pub(super) async fn audiences(&self, tenant: Tenant, notices: &[Notice]) -> Result<Audiences> {
        let mut keys: Vec<AnyKey> = Vec::new();
        let mut talks: HashSet<Talk> = HashSet::new();
        let mut reads_users = false;
        for notice in notices {
            if let Some(said) = notice.said {
                keys.push(keys_of(tenant, said.on).0.into());
            }
            match &notice.to {
                Audience::User(_) => {}
                Audience::Named(mentions) => {
                    let names = mentions.keys();
                    keys.extend(names.map(|name| AnyKey::from(key::account_owner(name))));
                }
                Audience::Talk(said) => {
                    keys.extend(
                        keys_of(tenant, said.on)
                            .1
                            .map(AnyKey::from),
                    );
                    talks.insert(said.on);
                }
                Audience::Holders(_) | Audience::Admins => reads_users = true,
                Audience::Approvers(session) => {
                    reads_users = true;
                    keys.push(key::agent_policy(tenant).into());
                    keys.push(key::sign_in_provider(tenant).into());
                    keys.push(
                        session
                            .alert
                            .alert_id
                            .key(tenant)
                            .into(),
                    );
                }
            }
        }
        let participants = stream::iter(talks)
            .map(async |talk| {
                Ok((
                    talk,
                    self.0
                        .participants(tenant, talk)
                        .await?,
                ))
            })
            .buffer_unordered(CONCURRENCY)
            .try_collect();
        let users = || {
            self.0
                .table
                .list(key::users(tenant).limit(USERS))
        };
        let users = OptionFuture::from(reads_users.then(users)).map(Option::transpose);
        let batch = self
            .0
            .table
            .batch_get(keys, Read::Eventual);
        let (batch, participants, users) = tokio::try_join!(batch, participants, users)?;
        Ok(Audiences {
            tenant,
            found: batch,
            participants,
            users: users.unwrap_or_default(),
        })
    }
}

impl Audiences {
    /// Returns the users of an audience, in any order. Some may be gone.
    pub(super) fn users_of(&self, audience: &Audience, now: Timestamp) -> BTreeSet<UserId> {
        match audience {
            Audience::User(user) => BTreeSet::from([*user]),
            Audience::Named(mentions) => {
                let named = |mentions: &BTreeSet<Mention>| -> BTreeSet<UserId> {
                    let users = mentions
                        .iter()
                        .filter_map(|mention| self.named(mention));
                    users.collect()
                };
                &named(&mentions.added) - &named(&mentions.before)
            }
            Audience::Talk(said) => self.before(*said),
            Audience::Holders(permission) => self.holders(*permission),
            Audience::Admins => self.admins(),
            Audience::Approvers(session) => self.approvers(session, now),
        }
    }

    /// The cause of a notice. The first message of a ticket is part of its creation.
    pub(super) fn cause_of(&self, notice: &Notice) -> String {
        match notice.said {
            Some(said) if self.raised_with(said) => creation_of(said.on),
            _ => notice.cause.clone(),
        }
    }

    /// Returns true if a ticket was raised with this as its first message.
    fn raised_with(&self, said: Said) -> bool {
        let involved = self
            .found
            .named(&key::involved(self.tenant, said.on));
        said.on.thread().is_none()
            && involved.is_some_and(|involved| involved.created_at == Some(said.at))
    }

    /// The organization's user with the longest possible username of the mention.
    fn named(&self, Mention(names): &Mention) -> Option<UserId> {
        let owner = |name: &String| {
            self.found
                .named(&key::account_owner(name))
        };
        let mut owners = names.iter().filter_map(owner);
        let owner = owners.find(|owner| owner.organization_id == self.tenant)?;
        Some(owner.user_id)
    }

    /// Creator, assignee, and the participants who wrote before.
    fn before(&self, said: Said) -> BTreeSet<UserId> {
        let (involved, creation) = keys_of(self.tenant, said.on);
        let Some(involved) = self.found.named(&involved) else {
            return BTreeSet::new();
        };
        // It answers no earlier message.
        if self.raised_with(said) {
            return BTreeSet::new();
        }
        let creation = creation.and_then(|key| self.found.named(&key));
        let creator = creation.and_then(|entry| entry.record.actor);
        let participants = self
            .participants
            .get(&said.on)
            .into_iter()
            .flatten();
        let before = participants
            .filter(|participant| (participant.at, participant.first_id) < (said.at, said.id));
        let authors = before.map(|participant| participant.user_id);
        let involved_users = [involved.creator_id, involved.assignee_id, creator];
        authors
            .chain(involved_users.into_iter().flatten())
            .collect()
    }

    fn holders(&self, permission: Permission) -> BTreeSet<UserId> {
        let holders = self
            .users
            .iter()
            .filter(|user| user.may(permission));
        holders.map(|user| user.id).collect()
    }

    fn admins(&self) -> BTreeSet<UserId> {
        let admins = self
            .users
            .iter()
            .filter(|user| user.is_enabled_admin());
        admins.map(|user| user.id).collect()
    }

    /// The users whose approval a session awaits. An unreadable alert counts as open. Under an
    /// unreadable policy there are none.
    fn approvers(&self, session: &AgentSession, now: Timestamp) -> BTreeSet<UserId> {
        let Ok(policy) = policy_in(&self.found, self.tenant, now) else {
            return BTreeSet::new();
        };
        let alert = self
            .found
            .named(&session.alert.alert_id.key(self.tenant));
        let provider = self
            .found
            .named(&key::sign_in_provider(self.tenant));
        let users = self.users.iter().cloned();
        let users = users.map(|user| user.under(provider.as_deref()));
        let users: Vec<User> = users.collect();
        let context = SessionContext {
            policy,
            approvers: Approvers::of(&users),
            is_resolved: alert.is_some_and(|alert| alert.status == AlertStatus::Resolved),
            unbound: BTreeSet::new(),
        };
        let asked = users.iter().filter(|user| {
            user.may(Permission::ExecuteAgentRemediation)
                && session.awaits_approval_of(user, &context, now)
        });
        asked.map(|user| user.id).collect()
    }
}

/// The keys of the users of a record, and of the history entry of its creation where the record
/// does not name its creator.
fn keys_of(tenant: Tenant, talk: Talk) -> (Key<Involved>, Option<Key<HistoryEntry>>) {
    let has_creator = talk.kind() == RecordType::ServiceRequest;
    let history = HistoryOf::of(talk.kind(), talk.id().get()).filter(|_| !has_creator);
    let creation = history.map(|of| key::creation(tenant, of));
    (key::involved(tenant, talk), creation)
}
