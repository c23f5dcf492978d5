//! The writes of transitions: the changed record, its journal entries, and the excerpts that these
//! name.

use agent::{
    action::AgentAction,
    journal::{JournalActor, JournalEntry, JournalEvent, Note},
    session::{AgentSession, ApprovedActions},
};
use model::base::Timestamp;
use table::{Stored, Write};

use crate::{Result, base::records::KeptExcerpt};

use super::{excerpts, journal::heads};

pub(super) fn of_session(
    session: &mut Stored<AgentSession>,
    note: Note,
    now: Timestamp,
) -> Result<Vec<Write>> {
    let entry = session.note(note, now);
    Ok(vec![Write::replace(session)?, Write::create(&entry)?])
}

/// Returns the writes of an action's transition. One of version 0 overwrites an unreadable one.
pub(super) fn of_action(
    action: &mut Stored<AgentAction>,
    note: Note,
    now: Timestamp,
) -> Result<Vec<Write>> {
    let noted = action.note(Some(note), now);
    let mut writes = vec![match action.version {
        0 => Write::put(&action.record)?,
        _ => Write::replace(action)?,
    }];
    writes.extend(entries(&noted)?);
    Ok(writes)
}

/// Returns the writes of a session after an outcome of its actions. `from` is the former status
/// if this settled the session; the entry then names the heads of its actions' chains.
pub(super) fn of_outcome(
    session: &mut Stored<AgentSession>,
    actions: &ApprovedActions<Stored<AgentAction>>,
    from: Option<&'static str>,
    by: JournalActor,
    now: Timestamp,
) -> Result<Vec<Write>> {
    let Some(from) = from else {
        return Ok(vec![Write::replace(session)?]);
    };
    let note = Note::new(by, JournalEvent::Settled, Some(from));
    of_session(session, note.with(heads(&actions.known)), now)
}

pub(super) fn entries(entries: &[JournalEntry]) -> Result<Vec<Write>> {
    let mut writes = excerpts::writes(
        entries
            .iter()
            .filter_map(KeptExcerpt::of_entry),
    )?;
    for entry in entries {
        writes.push(Write::create(entry)?);
    }
    Ok(writes)
}
