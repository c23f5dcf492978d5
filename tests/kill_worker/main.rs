//! Kills the real `action-worker` process with SIGKILL between the call of a target system and the
//! record of its answer, a hundred times; delivers each message three times more; and has two more
//! sessions ask for the same effect on the same record, the first of them while nobody knows what
//! became of it. Then it counts in the target systems: every record has one effect. Exits with 1
//! unless that is so, and every action ended as it should.
//!
//! `cargo run -p tests --bin kill-worker [kills]`; with 10 it takes a few seconds.
//!
//! Half of the records are invoices to be credited, by a system of which nothing but idempotency
//! keys keeps a second credit note away; the first session's action must end as succeeded. The other
//! half are customers to be sent a message, by a system that takes no notice of keys; the first
//! session's action must end as unknown, since no answer told what became of it and sending it again
//! could do it twice. The actions of all other sessions must be skipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends with the first thing that is not as it should be"
)]

mod table;
mod world;

use std::{process::ExitCode, time::Duration};

use shared::model::{ActionState, Stopwatch};

use self::{
    table::Row,
    world::{Kind, World},
};

/// How long anything may take that should take no time.
const PATIENCE: Duration = Duration::from_mins(2);

/// How often the message of an action is delivered beside what the sweeper sends.
const DELIVERIES: usize = 3;

#[tokio::main]
async fn main() -> ExitCode {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads its arguments"
    )]
    let kills: usize = std::env::args()
        .nth(1)
        .map_or(100, |kills| kills.parse().unwrap());
    world::build_worker().await;
    let world = World::start(kills).await;
    let began = Stopwatch::start();

    // Killed after the call, each with a second session beside it.
    let (mut first, mut later, mut killed_in_time) = (Vec::new(), Vec::new(), 0);
    for record in 0..kills {
        let one = world.approve(record, 0).await;
        killed_in_time += usize::from(world.kill_after_the_call(&one).await);
        first.push(one);
        later.push(world.approve(record, 1).await);
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
        let one = world.approve(record, 2).await;
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
