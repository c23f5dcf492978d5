//! The first work on a restored table. No id comes again. Sessions end, and the agent pauses.

use agent::{
    connection::{AgentPause, Restored},
    journal::JournalEvent,
};
use futures::{StreamExt, TryStreamExt, stream};
use model::{
    base::{Error, RecordType, Timestamp, random, span},
    people::{EntryContent, OrganizationEvent, Token, User, journal::subject},
};
use serde_json::{Value, json};
use table::{Condition, OrLeave, Record, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    agent::Connections,
    base::{WriteContext, records::Stack, retry::retry},
    key,
    people::sessions::end_sessions,
    updates::feed,
};

use super::{CONCURRENCY, Tenants};

/// Ids that are skipped, more than any restore loses.
const SKIPPED: i64 = 1_000_000;

/// Ids of organizations that are skipped. The operator's list of organizations reads every id.
const SKIPPED_ORGANIZATIONS: i64 = 1_000;

/// Milliseconds before the instant in which changes of access are named.
const SHORTLY: i64 = 15 * span::MINUTE;

/// Events of the organization's journal that change access.
const OF_ACCESS: [OrganizationEvent; 8] = [
    OrganizationEvent::UserCreated,
    OrganizationEvent::UserChanged,
    OrganizationEvent::PasswordSet,
    OrganizationEvent::PasswordReset,
    OrganizationEvent::EmailChanged,
    OrganizationEvent::SignInChanged,
    OrganizationEvent::TokenCreated,
    OrganizationEvent::PolicySet,
];

/// Access of an organization that may have been taken away after the instant.
#[derive(Debug)]
pub struct CameBack {
    /// Tokens that were alive at the instant.
    pub tokens: Vec<Token>,
    /// Users who are not disabled.
    pub users: Vec<User>,
    /// Changes of access, and approvals, shortly before the instant: instant, event and subject.
    pub changes: Vec<(Timestamp, &'static str, String)>,
    /// False if the organization was prepared for this instant before.
    pub is_new: bool,
}

impl CameBack {
    fn noted(&self, to: Timestamp, ends_tokens: bool) -> EntryContent {
        let changes = self.changes.iter();
        let after = json!({
            "to": to,
            "tokens": self.tokens.iter().map(|token| token.id).collect::<Vec<_>>(),
            "tokensEnded": ends_tokens,
            "users": self.users.iter().map(|user| user.id).collect::<Vec<_>>(),
            "changes": changes.map(|(at, event, of)| format!("{at} {event} {of}")).collect::<Vec<_>>(),
        });
        EntryContent::noted(
            OrganizationEvent::TableRestored,
            vec![subject::AGENT.to_owned()],
            [Value::Null, after],
        )
    }
}

impl Tenants<'_> {
    /// Raises the counters of ids, and gives the stack's name to the table, both or neither: calls
    /// keep their idempotency keys. Does nothing if that was done for the instant. Returns the
    /// stack's name.
    pub async fn restore_ids(&self, to: Timestamp) -> Result<String> {
        let stack = key::stack();
        let read = || self.0.read(&stack);
        let write = async |stored: Option<Stored<Stack>>| {
            if let Some(stack) = stored
                .as_ref()
                .filter(|stack| stack.restored_to == Some(to))
            {
                return Ok(Some(stack.name.clone()));
            }
            let name = stored
                .as_ref()
                .map(|stack| stack.name.clone());
            let stack = Stack {
                name: name.unwrap_or_else(random::token),
                table: self.0.table.name().to_owned(),
                restored_to: Some(to),
            };
            let name = stack.name.clone();
            let mut writes = vec![Write::create_or_replace(stored, stack)?];
            writes.extend(RecordType::ALL.iter().map(|kind| {
                let skipped = match kind {
                    RecordType::Organization => SKIPPED_ORGANIZATIONS,
                    _ => SKIPPED,
                };
                let raised = UpdateExpression::default().add("last", skipped);
                Write::update(key::counter(kind.name()), raised, Condition::default())
            }));
            Ok(self
                .0
                .table
                .transact(writes)
                .await?
                .ok()
                .map(|()| name))
        };
        retry(read().await?, read, write).await
    }

    /// Prepares an organization of a table that was put back. Ends its sessions, and its tokens if
    /// `ends_tokens`. Restarts its feed and pauses its agent. Notes in its journal what may have
    /// come back. For the same instant again, only ends tokens. Can begin again after an
    /// interruption.
    pub async fn restored(
        &self,
        tenant: Tenant,
        to: Timestamp,
        ends_tokens: bool,
    ) -> Result<CameBack> {
        let pause = self
            .0
            .connections()
            .agent_pause(tenant)
            .await?;
        let restored = pause.and_then(|pause| pause.restored);
        let is_new = restored.is_none_or(|restored| restored.to != to);
        let user_list = key::users(tenant).limit(usize::MAX);
        let users: Vec<User> = self.0.table.list(user_list).await?;
        let enabled = users
            .iter()
            .filter(|user| !user.disabled);
        let came_back = CameBack {
            tokens: self
                .tokens_at(tenant, to, &users)
                .await?,
            changes: self.changed_shortly(tenant, to).await?,
            users: enabled.cloned().collect(),
            is_new,
        };
        self.end_credentials(&users, is_new, ends_tokens)
            .await?;
        if !came_back.is_new {
            return Ok(came_back);
        }
        let read = || async {
            let pause = self
                .0
                .connections()
                .agent_pause(tenant)
                .await?;
            Ok((pause, self.0.feed().start(tenant).await?))
        };
        let noted = came_back.noted(to, ends_tokens);
        let write = async |(pause_before, start): (Option<Stored<AgentPause>>, _)| {
            let now = self.0.now();
            let pause = AgentPause {
                organization_id: tenant,
                paused: true,
                by: None,
                restored: Some(Restored { to, at: now }),
                updated_at: now,
            };
            let before = Connections::before(pause, pause_before.as_ref());
            let paused = EntryContent::changed(OrganizationEvent::AgentPaused, &before, &pause);
            let entries: Vec<_> = paused
                .into_iter()
                .chain([noted.clone()])
                .collect();
            let writes = vec![
                Write::create_or_replace(pause_before, pause)?,
                feed::restarted(tenant, start, now)?,
            ];
            let context = WriteContext::of_operator(tenant);
            Ok(self
                .0
                .transact(&context, writes, &entries)
                .await?
                .ok())
        };
        retry(read().await?, read, write).await?;
        Ok(came_back)
    }

    async fn tokens_at(&self, tenant: Tenant, at: Timestamp, users: &[User]) -> Result<Vec<Token>> {
        let tokens = stream::iter(users)
            .map(async |user| {
                let tokens = self
                    .0
                    .tokens()
                    .all(tenant, user.id)
                    .await?;
                let mut tokens: Vec<_> = tokens
                    .into_iter()
                    .map(|token| token.record)
                    .collect();
                tokens.retain(|token| token.holds(user, at));
                Ok::<_, Error>(tokens)
            })
            .buffered(CONCURRENCY);
        let tokens: Vec<Vec<Token>> = tokens.try_collect().await?;
        Ok(tokens.concat())
    }

    /// Changes of access and approvals in the quarter of an hour before the instant.
    async fn changed_shortly(
        &self,
        tenant: Tenant,
        to: Timestamp,
    ) -> Result<Vec<(Timestamp, &'static str, String)>> {
        let since = to.plus(-SHORTLY);
        let after = to.plus(1);
        let entry_list = key::organization_journal(tenant).limit(usize::MAX);
        let entry_list = entry_list
            .from(key::instant(since))
            .up_to(key::instant(after));
        let mut entries = self
            .0
            .table
            .list(entry_list.consistent())
            .await?;
        entries.retain(|entry| OF_ACCESS.contains(&entry.event));
        let approval_list = key::journals(tenant).limit(usize::MAX);
        let approval_list =
            approval_list.within(Some(key::instant(since)), Some(key::instant(after)));
        let mut approvals = self.0.table.list(approval_list).await?;
        approvals.retain(|entry| entry.what == JournalEvent::Approved);
        let changes = entries.iter();
        let changes = changes.map(|entry| (entry.at, entry.event.name(), entry.subjects.join(" ")));
        let approvals = approvals.iter().map(|entry| {
            let session = subject::agent_session(entry.session_id);
            (entry.at, entry.what.name(), session)
        });
        let mut changes: Vec<_> = changes.chain(approvals).collect();
        changes.sort();
        Ok(changes)
    }

    async fn end_credentials(&self, users: &[User], sessions: bool, tokens: bool) -> Result<()> {
        let mut end = UpdateExpression::default();
        if sessions {
            end = end_sessions(end);
        }
        if tokens {
            end = end.add("tokenEpoch", 1);
        }
        if !(sessions || tokens) {
            return Ok(());
        }
        let ends = stream::iter(users).map(async |user| {
            let write = Write::update(user.key(), end.clone(), Condition::exists());
            self.0.table.write(write).await
        });
        let mut ends = ends.buffer_unordered(CONCURRENCY);
        while let Some(ended) = ends.next().await {
            ended?.or_leave();
        }
        Ok(())
    }
}
