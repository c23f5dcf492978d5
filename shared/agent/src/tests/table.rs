//! Each command in each state: the state after it and its journal entry, or the refusal. The table
//! is a file, from which the diagrams of the documents are written, too.

use super::{
    actions::{LEASE, context, in_session},
    *,
};
use crate::transition::{ActionCommand, SessionCommand, Transition, WORKER, decide, decide_action};

/// Rows of machine, state, circumstances, command, state after, and event or code of the refusal.
const TABLE: &str = include_str!("transitions.txt");

/// A session with its actions at an instant, in given circumstances.
type World = (&'static str, AgentSession, Actions, Timestamp);

#[test]
fn each_command_in_each_state_does_as_the_table_says() {
    let mut rows = session_rows();
    rows.extend(action_rows());
    let rows = rows.join("\n") + "\n";
    assert!(rows == TABLE, "transitions.txt should be:\n{rows}");
}

fn session_rows() -> Vec<String> {
    let mut rows = Vec::new();
    for (circumstances, session, actions, now) in worlds() {
        for (name, command) in commands() {
            let mut session = session.clone();
            let mut actions = actions.clone();
            let before = session.status;
            let decided = command(&mut session, &mut actions, now);
            let after = session.status.name();
            let (to, event) = match &decided {
                Ok(None) => continue,
                Ok(Some(transition)) => (after, event(transition, after)),
                Err(error) => ("-", error_code(error)),
            };
            let row = [before.name(), circumstances, name, to, event.as_str()];
            rows.push(format!("session | {}", row.join(" | ")));
        }
    }
    rows
}

/// The event of the session's entry; `-` without an entry.
fn event(transition: &Transition, after: &str) -> String {
    let mut entries = transition.entries.iter().rev();
    let own = entries.find(|entry| entry.action_id.is_none());
    own.map_or("-".to_owned(), |entry| {
        assert_eq!(entry.to.as_deref(), Some(after));
        entry.what.name().to_owned()
    })
}

fn error_code(error: &Error) -> String {
    code(error).name().to_owned()
}

type Decision = fn(&mut AgentSession, &mut Actions, Timestamp) -> Result<Option<Transition>, Error>;

fn commands() -> [(&'static str, Decision); 11] {
    [
        ("propose", |session, actions, now| {
            let by = Id::new(3);
            decide(
                SessionCommand::BeginAnalysis { by, key: None },
                session,
                actions,
                now,
            )
        }),
        ("finish the analysis", |session, actions, now| {
            let policy = policy(&json!({}));
            let proposal = proposal();
            decide(
                SessionCommand::FinishAnalysis(&proposal, &policy),
                session,
                actions,
                now,
            )
        }),
        ("fail the analysis", |session, actions, now| {
            if session.status != AgentSessionStatus::Analyzing {
                return Ok(None);
            }
            decide(
                SessionCommand::FailAnalysis("It failed."),
                session,
                actions,
                now,
            )
        }),
        ("approve", |session, actions, now| {
            let list = ids(&[FIRST]);
            approved_by(&of(&list), session, actions, now)
        }),
        ("approve again", |session, actions, now| {
            let list = ids(&[FIRST]);
            approved_by(&again(&list), session, actions, now)
        }),
        ("reject", |session, actions, now| {
            let by = Id::new(4).unwrap();
            let reason = "No.";
            decide(SessionCommand::Reject { by, reason }, session, actions, now)
        }),
        ("cancel", |session, actions, now| {
            let by = Id::new(4);
            decide(SessionCommand::Cancel { by }, session, actions, now)
        }),
        (
            "settle the unknown outcome as done",
            |session, actions, now| settled_as("done", FIRST, session, actions, now),
        ),
        ("settle the manual action", |session, actions, now| {
            if session.plan.proposed(MANUAL).is_none() {
                return Ok(None);
            }
            settled_as("done", MANUAL, session, actions, now)
        }),
        ("all ended", |session, actions, now| {
            decide(SessionCommand::Settle { by: WORKER }, session, actions, now)
        }),
        ("time passes", |session, actions, now| {
            let before = session.status;
            let visited = decide(SessionCommand::Visit, session, actions, now)?;
            Ok(visited.filter(|_| session.status != before))
        }),
    ]
}

fn approved_by(
    approving: &Approving<'_>,
    session: &mut AgentSession,
    actions: &mut Actions,
    now: Timestamp,
) -> Result<Option<Transition>, Error> {
    if session.plan.proposed(FIRST).is_none() {
        return Ok(None);
    }
    let approve = SessionCommand::Approve {
        approving,
        approver: &anybody(),
        credential: None,
    };
    decide(approve, session, actions, now)
}

fn settled_as(
    outcome: &str,
    action_id: &str,
    session: &mut AgentSession,
    actions: &mut Actions,
    now: Timestamp,
) -> Result<Option<Transition>, Error> {
    if session
        .plan
        .proposed(action_id)
        .is_none()
    {
        return Ok(None);
    }
    let sent = json!({ "outcome": outcome, "note": "Seen." });
    let sent: ActionSettle = input::parse(sent.to_string().as_bytes()).unwrap();
    let by = Id::new(4).unwrap();
    let settle = SessionCommand::SettleAction {
        by,
        action_id,
        sent: &sent,
    };
    decide(settle, session, actions, now)
}

/// Sessions in each status, the first action in some states.
fn worlds() -> Vec<World> {
    let mut analyzing = opened();
    transition::begin_analysis(&mut analyzing, None, at(0)).unwrap();
    let late = at(AgentSession::ANALYSIS);
    let expired = at(AgentSession::CONFIRMATION);
    let no_actions = Actions::none;
    let mut worlds = vec![
        ("-", opened(), no_actions(), at(5)),
        ("-", analyzing.clone(), no_actions(), at(5)),
        ("2 minutes later", analyzing, no_actions(), late),
        ("-", awaiting(), no_actions(), at(5)),
        ("24 hours later", awaiting(), no_actions(), expired),
    ];
    let mut manual = awaiting();
    let proposed = &mut manual.plan.proposed_actions;
    proposed.retain(|action| action.id == MANUAL);
    worlds.push(("only a manual action", manual, no_actions(), at(5)));
    let executing = || approved(&[FIRST]);
    for (name, state) in [
        ("its action is queued", ActionState::Queued),
        ("its action is running", ActionState::Running),
        ("its action succeeded", ActionState::Succeeded),
        ("its action failed", ActionState::Failed),
        ("its action is unknown", ActionState::Unknown),
    ] {
        worlds.push((name, executing(), sessions::actions(&[state]), at(5)));
    }
    let mut unknown = executing();
    let actions = sessions::actions(&[ActionState::Unknown]);
    transition::settle(&mut unknown, &actions, at(3));
    worlds.push(("all ended, one unknown", unknown, actions, at(5)));
    let mut cancelling = executing();
    let mut actions = sessions::actions(&[ActionState::Running]);
    transition::cancel(&mut cancelling, &mut actions, at(3)).unwrap();
    worlds.push(("its action is running", cancelling.clone(), actions, at(5)));
    let actions = sessions::actions(&[ActionState::Unknown]);
    worlds.push((
        "its action is unknown",
        cancelling.clone(),
        actions.clone(),
        at(5),
    ));
    transition::settle(&mut cancelling, &actions, at(4));
    worlds.push(("its action is unknown", cancelling, actions, at(5)));
    for state in [ActionState::Succeeded, ActionState::Failed] {
        let mut ended = executing();
        let actions = sessions::actions(&[state]);
        transition::settle(&mut ended, &actions, at(3));
        worlds.push(("-", ended.clone(), actions.clone(), at(5)));
        worlds.push((
            "24 hours later",
            ended,
            actions,
            at(3 + AgentSession::AGAIN),
        ));
    }
    let mut expired_session = awaiting();
    transition::lapse(&mut expired_session, expired);
    worlds.push(("-", expired_session, no_actions(), expired));
    worlds
}

fn action_rows() -> Vec<String> {
    let held = || {
        let mut action = queued();
        claim_in(&mut action, &context(Idempotency::Keyed), 0);
        action
    };
    let late = at(AgentAction::PATIENCE);
    let mut worlds = vec![
        ("-", queued(), at(5)),
        ("24 hours later", queued(), late),
        ("in its lease", held(), at(5)),
        ("after its lease", held(), at(LEASE)),
    ];
    for outcome in [
        Outcome::succeeded(None),
        Outcome::failed(None, "Refused."),
        Outcome::unknown(None, "503."),
    ] {
        let mut action = held();
        transition::record(&mut action, &outcome, at(3));
        worlds.push(("-", action, at(5)));
    }
    let mut skipped = queued();
    transition::cancel_queued(&mut skipped, at(3));
    worlds.push(("-", skipped, at(5)));
    let mut rows = Vec::new();
    for (circumstances, action, now) in worlds {
        for (name, command) in action_commands() {
            let mut after = action.clone();
            let is_of_holder = name.starts_with("its holder");
            if is_of_holder && circumstances != "in its lease" {
                continue;
            }
            let Some(entries) = command(&mut after, now) else {
                continue;
            };
            let event = entries
                .last()
                .map_or("-", |entry| entry.what.name());
            let row = [
                action.state.name(),
                circumstances,
                name,
                after.state.name(),
                event,
            ];
            rows.push(format!("action | {}", row.join(" | ")));
        }
    }
    rows
}

type ActionDecision = fn(&mut AgentAction, Timestamp) -> Option<Vec<JournalEntry>>;

fn action_commands() -> [(&'static str, ActionDecision); 12] {
    fn claimed(
        action: &mut AgentAction,
        context: &ClaimContext,
        now: Timestamp,
    ) -> Option<Vec<JournalEntry>> {
        let decision = crate::transition::decide_claim(action, context, LEASE, now);
        let changes = matches!(decision.claim, Claim::Held(()) | Claim::Ended(_));
        changes.then_some(decision.entries)
    }
    fn recorded(
        action: &mut AgentAction,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Option<Vec<JournalEntry>> {
        let record = ActionCommand::Record {
            outcome,
            is_counted: true,
        };
        decide_action(record, action, now)
    }
    [
        ("claim", |action, now| {
            claimed(action, &context(Idempotency::Keyed), now)
        }),
        ("claim, the session is cancelled", |action, now| {
            let context = in_session(AgentSessionStatus::Cancelled, Idempotency::Keyed);
            claimed(action, &context, now)
        }),
        ("its holder releases it", |action, now| {
            decide_action(ActionCommand::Release(at(LEASE)), action, now)
        }),
        ("its holder did every step", |action, now| {
            recorded(action, &Outcome::succeeded(None), now)
        }),
        ("its holder was refused", |action, now| {
            recorded(action, &Outcome::failed(None, "Refused."), now)
        }),
        ("its holder got no clear answer", |action, now| {
            recorded(action, &Outcome::unknown(None, "503."), now)
        }),
        ("its holder found another state", |action, now| {
            let outcome = Outcome {
                state: ActionState::Skipped,
                ..Outcome::failed(None, "precondition_changed: It is paid.")
            };
            recorded(action, &outcome, now)
        }),
        ("give up", |action, now| {
            decide_action(ActionCommand::GiveUp("Too late."), action, now)
        }),
        ("a user says done", |action, now| {
            judged(action, VerdictOutcome::Done, now)
        }),
        ("a user says not done", |action, now| {
            judged(action, VerdictOutcome::NotDone, now)
        }),
        ("cancel", |action, now| {
            transition::cancel_queued(action, now).then(Vec::new)
        }),
        ("approve again", |action, now| {
            let may_run = action.state.is_not_done();
            may_run.then(|| {
                transition::queue_again(action, &awaiting(), Vec::new(), None, now);
                Vec::new()
            })
        }),
    ]
}

fn judged(
    action: &mut AgentAction,
    outcome: VerdictOutcome,
    now: Timestamp,
) -> Option<Vec<JournalEntry>> {
    let verdict = Verdict {
        outcome,
        by: Id::new(4).unwrap(),
        at: now,
        note: "Seen.".to_owned(),
    };
    let judged = transition::judge_action(action, verdict);
    judged
        .is_ok_and(|is_new| is_new)
        .then(Vec::new)
}
