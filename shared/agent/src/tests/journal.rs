//! Journals, without a table.

use model::{
    base::UserId,
    people::{JournalFlaw, journal::Chained},
};

use super::*;

const WORKER: JournalActor = JournalActor::of(JournalActorType::Worker);

fn user() -> JournalActor {
    JournalActor::user(UserId::new(3))
}

/// A session with one ended action, and its journal.
fn chain() -> (AgentSession, AgentAction, Vec<JournalEntry>) {
    let mut session = opened();
    let mut action = queued();
    let mut entries = Vec::new();
    for event in [JournalEvent::Opened, JournalEvent::Approved] {
        entries.push(transition::session_entry(
            &mut session,
            Note::new(user(), event, None),
            at(1),
        ));
    }
    let claimed = Note::new(WORKER, JournalEvent::Claimed, Some("queued"));
    entries.extend(transition::action_entries(
        &mut action,
        Some(claimed),
        at(2),
    ));
    let result = CallResult {
        response: Some(excerpt(200, json!({"state": "processed"}))),
        ..CallResult::unsent(Effect::Done, "", at(3))
    };
    action
        .progress
        .unwritten
        .push((1, result));
    let ended = Note::new(WORKER, JournalEvent::Ended, Some("running"));
    entries.extend(transition::action_entries(&mut action, Some(ended), at(4)));
    let heads = json!({"heads": {&action.key.action_id: action.journal}});
    let settled = Note::new(WORKER, JournalEvent::Settled, None).with(heads);
    entries.push(transition::session_entry(&mut session, settled, at(5)));
    (session, action, entries)
}

fn check(chain: &(AgentSession, AgentAction, Vec<JournalEntry>)) -> JournalCheck {
    let (session, action, entries) = chain;
    check_journal(session, std::iter::once(action), entries)
}

fn broken(chain: &(AgentSession, AgentAction, Vec<JournalEntry>)) -> (bool, i64, JournalFlaw) {
    let check = check(chain);
    assert!(!check.verified);
    let [journal_break] = check.breaks.as_slice() else {
        panic!("{:?}", check.breaks);
    };
    (
        journal_break.action_id.is_some(),
        journal_break.seq,
        journal_break.why,
    )
}

#[test]
fn entries_are_chained_and_name_what_happened() {
    let chain = chain();
    let (session, action, entries) = &chain;
    assert_eq!((session.journal.seq, action.journal.seq), (3, 3));
    let whole = check(&chain);
    assert_eq!((whole.verified, whole.entries), (true, 6));
    assert_eq!(&whole.head, &session.journal);
    let answered = &entries[3];
    assert_eq!(answered.what, JournalEvent::Answered);
    assert_eq!(answered.at, at(3));
    assert_eq!(answered.digest, Some(action.digest()));
    assert_eq!(answered.previous_hash, entries[2].hash);
    let detail = answered
        .detail
        .as_ref()
        .map(|detail| json!(detail.0));
    let processed = excerpt(200, json!({"state": "processed"}));
    let expected = json!({
        "step": 1, "effect": "done", "problem": null,
        "response": {"status": 200, "excerpt": processed.hash()},
    });
    assert_eq!(detail, Some(expected));
    assert_eq!(answered.excerpt_hash(), Some(&*processed.hash()));
    assert_eq!(answered.excerpt, Some(processed));
    // The chain does not cover the excerpt itself.
    let mut expired = answered.clone();
    expired.excerpt = None;
    assert_eq!(expired.computed_hash(), answered.hash);
    assert_eq!(entries[4].to.as_deref(), Some("queued"));
    assert!(action.progress.unwritten.is_empty());
}

#[test]
fn a_check_names_what_was_changed_or_taken_away() {
    for place in 0..6 {
        let mut changed = chain();
        changed.2[place].at = at(77);
        let mut taken = chain();
        let entry = taken.2.remove(place);
        let of_action = entry.action_id.is_some();
        let flaw = (of_action, entry.seq, JournalFlaw::Changed);
        assert_eq!(broken(&changed), flaw);
        assert_eq!(broken(&taken), (of_action, entry.seq, JournalFlaw::Missing));
    }
}

#[test]
fn an_action_of_which_nothing_is_left_is_missed() {
    let (session, _, entries) = chain();
    let left = entries
        .into_iter()
        .filter(|entry| entry.action_id.is_none());
    let check = check_journal(&session, std::iter::empty(), &left.collect::<Vec<_>>());
    let first = &check.breaks[0];
    assert_eq!(
        (check.verified, first.seq, first.why),
        (false, 1, JournalFlaw::Missing)
    );
}

#[test]
fn a_chain_that_was_computed_anew_is_not_that_of_its_head() {
    // The last entry of the action, with a matching hash.
    let mut chain = chain();
    chain.2[4].at = at(77);
    chain.2[4].hash = chain.2[4].computed_hash();
    assert_eq!(broken(&chain), (true, 3, JournalFlaw::NotTheHead));
    // The record's head is forged too. The session's chain names the true one.
    chain.1.journal.hash = chain.2[4].hash.clone();
    assert_eq!(broken(&chain), (true, 3, JournalFlaw::NotTheHead));
    // An entry in the middle: the next one names its true hash.
    let mut chain = self::chain();
    chain.2[3].at = at(77);
    chain.2[3].hash = chain.2[3].computed_hash();
    assert_eq!(broken(&chain), (true, 3, JournalFlaw::Unchained));
}

#[test]
fn an_entry_behind_the_head_belongs_to_nobody() {
    let mut chain = chain();
    let mut forger = chain.0.clone();
    let note = Note::new(user(), JournalEvent::Rejected, None);
    chain
        .2
        .push(transition::session_entry(&mut forger, note, at(9)));
    assert_eq!(broken(&chain), (false, 4, JournalFlaw::NotTheHead));
}

#[test]
fn a_session_from_before_there_were_journals_has_an_empty_one() {
    let check = check_journal(&opened(), std::iter::empty(), &[]);
    assert!(check.verified);
    assert_eq!(check.entries, 0);
}
