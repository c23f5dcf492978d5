//! Invocation of a function at a fixed rate, as by an EventBridge rule.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use chrono::{DateTime, SecondsFormat};
use futures::FutureExt;
use serde_json::{Value, json};
use shared::{clock::Clock, random};
use tokio::time::MissedTickBehavior;
use uuid::Builder;

use crate::{console, engines::REGION, function::InvocationError};

/// A rule with a fixed rate and the function that it invokes.
#[derive(Clone, Debug)]
pub struct ScheduledRule<I> {
    rule: String,
    every: Duration,
    invoke: I,
    clock: Clock,
}

impl<I, F> ScheduledRule<I>
where
    I: Fn(Value) -> F,
    F: Future<Output = Result<Bytes, InvocationError>>,
{
    /// Returns a rule; `every` is greater than zero.
    pub fn new(rule: &str, every: Duration, invoke: I) -> Self {
        Self {
            rule: rule.to_owned(),
            every,
            invoke,
            clock: Clock::system(),
        }
    }

    /// Invokes the function after each interval until `stop` resolves.
    ///
    /// A running invocation is finished. A run longer than the interval delays the next, so that at
    /// most one runs at a time.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let stop = stop.shared();
        let mut ticks =
            tokio::time::interval_at(tokio::time::Instant::now() + self.every, self.every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.clone() => return,
                _ = ticks.tick() => {}
            }
            self.fire().await;
        }
    }

    /// Invokes the function once and waits for its end.
    pub async fn fire(&self) {
        if let Err(problem) = (self.invoke)(self.event()).await {
            console::warn(&format!("schedule {}: {problem}", self.rule));
        }
    }

    fn event(&self) -> Value {
        json!({
            "version": "0",
            "id": Builder::from_random_bytes(random::bytes()).into_uuid(),
            "detail-type": "Scheduled Event",
            "source": "aws.events",
            "account": "123456789012",
            "time": self.now(),
            "region": REGION,
            "resources": [format!("arn:aws:events:{REGION}:123456789012:rule/{}", self.rule)],
            "detail": {},
        })
    }

    /// Returns the present time in whole seconds, as in scheduled events.
    fn now(&self) -> String {
        DateTime::from_timestamp_millis(self.clock.now().millis())
            .unwrap_or_default()
            .to_rfc3339_opts(SecondsFormat::Secs, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_fires_again_and_again_until_it_is_stopped() {
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let schedule =
            ScheduledRule::new("sweeper", Duration::from_millis(1), move |event: Value| {
                let sent = sender.send(event);
                async move {
                    sent.unwrap();
                    // A failure is printed, and the schedule goes on.
                    Err(InvocationError::Ended {
                        function: "sweeper".to_owned(),
                        message: "signal: 9".to_owned(),
                    })
                }
            });
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(async move { schedule.run(stopped.map(|_| ())).await });

        let first = events.recv().await.unwrap();
        assert_eq!(first["detail-type"], "Scheduled Event");
        let rule = "arn:aws:events:us-east-1:123456789012:rule/sweeper";
        assert_eq!(first["resources"][0], rule);
        let second = events.recv().await.unwrap();
        assert_ne!(second["id"], first["id"]);

        drop(stop);
        running.await.unwrap();
    }
}
