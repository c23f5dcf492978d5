//! Kills the real `action-worker` process with SIGKILL between the call of a target system and the
//! record of its answer, a hundred times. Each message is delivered three times more. Two more
//! sessions ask for the same effect on the same record, the first of them while the outcome is
//! unknown. Then it counts in the target systems: every record has one effect. Exits with 1 unless
//! that is so, and every action ended as it should.
//!
//! `cargo run --bin kill-worker [kills]`; with 10 it takes a few seconds.
//!
//! Half of the records are invoices to be credited, by a system in which idempotency keys alone
//! prevent a second credit note. The first session's action must succeed. The other half are
//! customers to be sent a message, by a system that ignores keys. There the first session's action
//! must end as unknown: no answer told its outcome, and a second call could repeat it. The actions
//! of all other sessions must be skipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

mod table;
mod world;

use std::{process::ExitCode, time::Duration};

use shared::{agent::ActionState, model::Stopwatch};
use tests::Options;

use self::{
    table::Row,
    world::{Kind, World},
};

/// Time limit of any step.
const PATIENCE: Duration = Duration::from_mins(2);

/// Deliveries of an action's message beside those of the sweeper.
const DELIVERIES: usize = 3;

#[tokio::main]
async fn main() -> ExitCode {
    let kills = Options::read("kill-worker [kills]").get("kills");
    let kills: usize = kills.unwrap_or(100);
    world::build_worker().await;
    let world = World::start(kills).await;
    let began = Stopwatch::start();

    // Killed after the call, each with a second session beside it.
    let (mut first, mut later, mut killed_in_time) = (Vec::new(), Vec::new(), 0);
    for record in 0..kills {
        let one = Box::pin(world.approve(record, 0)).await;
        killed_in_time += usize::from(world.kill_after_the_call(&one).await);
        first.push(one);
        later.push(Box::pin(world.approve(record, 1)).await);
    }
    println!(
        "{kills} workers killed in {:.1?}, {killed_in_time} of them between call and record",
        began.elapsed()
    );

    // Everything that was asked for is delivered again and again, until nothing is left to do.
    for action in first.iter().chain(&later) {
        world.send(action, DELIVERIES).await;
    }
    world.work_off(first.iter().chain(&later)).await;
    for record in 0..kills {
        let one = Box::pin(world.approve(record, 2)).await;
        world.send(&one, DELIVERIES).await;
        later.push(one);
    }
    world.work_off(&later).await;
    println!("worked off after {:.1?}\n", began.elapsed());

    let mut is_sound = killed_in_time == kills;
    table::head();
    for kind in [Kind::Keyed, Kind::Unkeyed] {
        let mut row = Row::new(kind);
        for action in first.iter().filter(|action| action.kind == kind) {
            row.record(world.effects(action));
            row.messages += world.delivered(action);
            let (ended, state) = world.state(action).await;
            let expected = match kind {
                Kind::Keyed => ActionState::Succeeded,
                Kind::Unkeyed => ActionState::Unknown,
            };
            row.first(ended && state == Some(expected));
        }
        for action in later.iter().filter(|action| action.kind == kind) {
            row.messages += world.delivered(action);
            let (ended, state) = world.state(action).await;
            row.later(ended && state == Some(ActionState::Skipped));
        }
        row.print();
        is_sound &= row.is_sound();
    }
    if is_sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
