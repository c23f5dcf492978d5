//! The entries of sessions and actions in their journal.

use model::{base::Timestamp, people::journal::Chained};

use crate::{
    action::AgentAction,
    journal::{JournalActor, JournalActorType, JournalEntry, JournalEvent, Note},
    session::AgentSession,
};

use super::status::plan_visit;

/// The actor that runs actions.
pub const WORKER: JournalActor = JournalActor::of(JournalActorType::Worker);

/// The actor that resumes abandoned work.
pub const SWEEPER: JournalActor = JournalActor::of(JournalActorType::Sweeper);

/// Creates the entry of a transition that was just made, to be written with it.
pub(crate) fn session_entry(
    session: &mut AgentSession,
    note: Note,
    now: Timestamp,
) -> JournalEntry {
    let entry = JournalEntry {
        to: Some(session.status.name().to_owned()),
        ..note.entry(session.organization_id, session.id, now)
    };
    let entry = entry.chained(&mut session.journal);
    session.times.journal_at = Some(now);
    if session.status.has_ended() {
        plan_visit(session);
    }
    entry
}

/// Creates the entries of new call results and of a transition that was just made, to be
/// written with it.
pub(crate) fn action_entries(
    action: &mut AgentAction,
    note: Option<Note>,
    now: Timestamp,
) -> Vec<JournalEntry> {
    let digest = action.digest();
    let results = std::mem::take(&mut action.progress.unwritten).into_iter();
    let results = results.map(|(step, result)| {
        let note = Note::new(WORKER, JournalEvent::Answered, None).with(result.detail(step));
        (note, result.response, None, result.at)
    });
    let checked = action
        .progress
        .checked
        .take()
        .map(|checked| {
            let note = Note::new(WORKER, JournalEvent::Checked, None).with(checked.detail());
            (note, None, None, checked.at)
        });
    let to = Some(action.state.name().to_owned());
    let note = note.map(|note| (note, None, to, now));
    let notes: Vec<_> = results
        .chain(checked)
        .chain(note)
        .collect();
    let entries = notes
        .into_iter()
        .map(|(note, excerpt, to, at)| {
            let entry = JournalEntry {
                action_id: Some(action.key.action_id.clone()),
                to,
                digest: Some(digest.clone()),
                excerpt,
                ..note.entry(action.key.organization_id, action.key.session_id, at)
            };
            entry.chained(&mut action.journal)
        });
    entries.collect()
}
