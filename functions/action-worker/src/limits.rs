use std::time::Duration;

use agent::transition::RunLimits;
use runtime::config::{ConfigError, Environment};

/// The setting with the timeout of a call, in seconds.
const STEP_TIMEOUT: &str = "STEP_TIMEOUT_SECONDS";

#[derive(Clone, Debug)]
pub struct WorkerLimits {
    /// The lease of an action; no call outlives it. Less than the function's timeout, so that no
    /// call is cut off.
    pub lease: Duration,
    /// The timeout of a call, including its answer. No call is sent when less of the lease is left.
    pub step_timeout: Duration,
    /// Pauses before the retries within a lease, one per retry. A longer wait that the target
    /// system asks for applies up to [`LONGEST_WAIT`](Self::LONGEST_WAIT).
    pub pauses: Vec<Duration>,
    /// Deliveries of a message until it becomes a dead letter: the queue's `maxReceiveCount`.
    pub deliveries: u32,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self {
            lease: Duration::from_mins(1),
            step_timeout: Duration::from_secs(10),
            pauses: vec![Duration::from_millis(200), Duration::from_secs(1)],
            deliveries: 5,
        }
    }
}

impl WorkerLimits {
    /// The longest wait before a retry within the lease. Beyond it, the action is released.
    pub const LONGEST_WAIT: Duration = Duration::from_secs(5);

    /// Time limit of a check of a target system.
    const CHECK: Duration = Duration::from_secs(8);

    /// Reads `ACTION_LEASE_SECONDS` (default 60) and `STEP_TIMEOUT_SECONDS` (default 10). The lease
    /// must be at least twice the timeout. Otherwise the claim's own writes could leave too little
    /// time for a call.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        let limits = Self {
            lease: environment.seconds("ACTION_LEASE_SECONDS", 60)?,
            step_timeout: environment.seconds(STEP_TIMEOUT, 10)?,
            ..Self::default()
        };
        if limits.lease < limits.step_timeout * 2 {
            let step = limits.step_timeout.as_secs();
            let lease = limits.lease.as_secs();
            let most = lease / 2;
            let problem =
                format!("{step}; with ACTION_LEASE_SECONDS={lease} a call may take {most} at most");
            return Err(ConfigError::malformed(STEP_TIMEOUT, problem));
        }
        Ok(limits)
    }

    /// Returns the timeout of a check, whose reads are concurrent.
    pub(crate) fn check_timeout(&self) -> Duration {
        self.step_timeout.min(Self::CHECK)
    }

    pub(crate) fn of_run(&self) -> RunLimits {
        RunLimits {
            call: self.step_timeout,
            reads: self.check_timeout(),
            pauses: self.pauses.clone(),
            longest_pause: Self::LONGEST_WAIT,
        }
    }

    pub(crate) fn lease_millis(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lease: &str, step: &str) -> Result<WorkerLimits, String> {
        let variables = [("ACTION_LEASE_SECONDS", lease), (STEP_TIMEOUT, step)];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment: Environment = variables.into_iter().collect();
        WorkerLimits::read(&environment).map_err(|error| error.to_string())
    }

    #[test]
    fn a_call_that_may_take_nearly_a_lease_is_refused_at_start() {
        let limits = read("50", "25").unwrap();
        assert_eq!(limits.step_timeout, Duration::from_secs(25));
        for (lease, step) in [("50", "26"), ("50", "50"), ("1", "1"), ("10", "60")] {
            let problem = read(lease, step).unwrap_err();
            assert!(problem.contains(STEP_TIMEOUT), "{problem}");
            assert!(problem.contains("ACTION_LEASE_SECONDS"), "{problem}");
        }
    }
}
