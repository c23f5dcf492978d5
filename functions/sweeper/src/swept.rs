//! Counts of the sweeper's work.

use std::ops::AddAssign;

use model::base::Error;
use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swept {
    pub cleanups: usize,
    /// Messages sent for webhook deliveries.
    pub deliveries: usize,
    /// Messages sent for mails.
    pub mails: usize,
    pub reminded: usize,
    /// Entries of sign-ins named in their chains.
    pub chained: usize,
    pub overdue: usize,
    pub resent: usize,
    /// Messages sent for checks of ended actions and of alerts.
    #[serde(rename = "looks")]
    pub checks: usize,
    pub given_up: usize,
    /// Actions whose minutes were counted after their outcome.
    pub counted: usize,
    pub expired: usize,
    pub interrupted: usize,
    /// Sessions ended after their last action.
    pub settled: usize,
    /// Failed items. The log has the reasons, and the next run tries again.
    pub errors: usize,
}

impl Swept {
    /// Notes that the work on a record ended. Returns 1 after a success.
    pub(crate) fn done(&mut self, record_name: &str, result: Result<(), Error>) -> usize {
        let failed = result.map_err(|error| self.failed(record_name, &error));
        failed.is_ok().into()
    }

    pub(crate) fn failed(&mut self, record_name: &str, error: &Error) {
        self.errors += 1;
        tracing::error!(
            record = record_name,
            cause = error.chain(),
            "cannot sweep a record"
        );
    }
}

impl AddAssign for Swept {
    fn add_assign(&mut self, other: Self) {
        self.cleanups += other.cleanups;
        self.deliveries += other.deliveries;
        self.mails += other.mails;
        self.reminded += other.reminded;
        self.chained += other.chained;
        self.overdue += other.overdue;
        self.resent += other.resent;
        self.checks += other.checks;
        self.given_up += other.given_up;
        self.counted += other.counted;
        self.expired += other.expired;
        self.interrupted += other.interrupted;
        self.settled += other.settled;
        self.errors += other.errors;
    }
}
