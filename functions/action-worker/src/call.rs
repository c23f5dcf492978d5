use std::time::Duration;

use agent::{
    action::{ApiCall, CallResult, Effect, NextCall},
    connection::Connection,
};
use model::Timestamp;
use targets::{NoResponse, Sending, Targets};

/// Sends a call and reads its response, within `timeout`. `now` tells the time of the response.
pub(crate) async fn send(
    targets: &Targets,
    connection: &Connection,
    NextCall {
        call,
        key,
        is_repeated,
        ..
    }: &NextCall,
    timeout: Duration,
    now: impl Fn() -> Timestamp,
) -> CallResult {
    let sending = Sending {
        key: Some(key),
        timeout,
    };
    let none = match targets.send(connection, call, sending).await {
        Ok(head) => {
            let response = head.read(connection).await;
            return CallResult::of(call, response, *is_repeated, now());
        }
        Err(none) => none,
    };
    let (problem, now) = (none.problem(), now());
    match none {
        NoResponse::Unsendable(_) => {
            CallResult::unsent(ApiCall::unsendable(*is_repeated), problem, now)
        }
        NoResponse::NotSent(_) => CallResult::unsent(Effect::NotNow, problem, now),
        NoResponse::Unreachable => CallResult::unanswered(Effect::NotNow, problem, now),
        NoResponse::BrokenOff(_) => CallResult::unanswered(call.unclear(), problem, now),
    }
}
