//! Entries of the organization's journal that name the newest entry of each ended session.

use agent::session::AgentSession;
use model::{EntryContent, Error, SessionHead};

use super::{Agent, due::DueSession};
use crate::{
    WriteContext,
    table::{OrLeave, Stored, Write},
};

impl Agent<'_> {
    /// Names the newest entries of ended sessions in their organization's journal. `due` is of one
    /// organization, at most `DueSession::NAMED`. A concurrent change of a session leaves all
    /// for the next visit.
    pub async fn name_ended(&self, due: &[&DueSession]) -> Result<(), Error> {
        let sessions = due.iter().filter_map(|due| due.session());
        let mut sessions: Vec<Stored<AgentSession>> = sessions.cloned().collect();
        let Some(tenant) = sessions.first().map(|session| session.organization_id) else {
            return Ok(());
        };
        let heads = sessions.iter().filter_map(|session| {
            Some(SessionHead {
                id: session.id,
                seq: session.journal.seq,
                at: session.times.journal_at?,
                hash: session.journal.hash.clone(),
            })
        });
        let entry = EntryContent::sessions_ended(&heads.collect::<Vec<_>>());
        for session in &mut sessions {
            session.set_named();
        }
        let writes: Result<Vec<Write>, Error> = sessions.iter().map(Write::replace).collect();
        let context = WriteContext::from(tenant);
        let done = self.0.transact(&context, writes?, entry.as_slice()).await?;
        done.or_leave();
        Ok(())
    }
}
