//! Quotas: the table units that an organization, a user or a token may use in ten seconds.
//!
//! A quota is a bucket of the units of ten seconds that fills evenly. Its use is told as a time:
//! the whole quota is ten seconds, and each unit its share of them. Units are free again after that
//! time.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::{Error, OrganizationId, UserId, span};

/// Seconds in which an empty quota fills again.
pub const WINDOW_SECONDS: u32 = 10;

/// The time of a whole quota.
pub const WINDOW: Duration = Duration::from_secs(WINDOW_SECONDS as u64);

/// The longest time that an instance counts as used. So no answer asks for a longer wait.
pub const LONGEST: Duration = Duration::from_mins(1);

/// Milliseconds for which waiting calls are counted.
pub const COUNTED: i64 = WINDOW_SECONDS as i64 * span::SECOND;

/// Units a second of an organization's plan: 1 to 1,000,000, and 4,000 unless the operator sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = u32, minimum = 1, maximum = 1_000_000)]
pub struct UnitsPerSecond(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuotaHolder {
    /// An organization: its users and tokens together.
    Organization(OrganizationId),
    /// A user: all of their sessions together.
    User(UserId),
    /// A token, by its hash.
    Token(String),
    /// A session that is not authenticated yet or has ended, by its hash.
    Session(String),
}

impl UnitsPerSecond {
    pub const MOST: u32 = 1_000_000;

    /// Creates a plan of so many units a second; `None` beyond 1 to 1,000,000.
    pub const fn new(units: u32) -> Option<Self> {
        match units {
            1..=Self::MOST => Some(Self(units)),
            _ => None,
        }
    }

    pub const fn get(self) -> u32 {
        self.0
    }

    /// The most calls of the organization that begin to wait for results in ten seconds: a
    /// hundredth of the units of one second, and at least one.
    pub fn most_waiting(self) -> u32 {
        (self.0 / 100).max(1)
    }

    /// Units in ten seconds of a holder: all of the plan's for the organization, a quarter for any
    /// other.
    pub const fn quota(self, holder: &QuotaHolder) -> u32 {
        let of_organization = self.0 * WINDOW_SECONDS;
        match holder {
            QuotaHolder::Organization(_) => of_organization,
            QuotaHolder::User(_) | QuotaHolder::Token(_) | QuotaHolder::Session(_) => {
                of_organization / 4
            }
        }
    }
}

impl Default for UnitsPerSecond {
    fn default() -> Self {
        Self(4_000)
    }
}

impl QuotaHolder {
    /// The kind of holder, as the header `RateLimit` names its policy.
    pub const fn policy(&self) -> &'static str {
        match self {
            Self::Organization(_) => "organization",
            Self::User(_) => "user",
            Self::Token(_) => "token",
            Self::Session(_) => "session",
        }
    }

    /// 429 for a holder that has used its quota, or more. It is to wait for the first whole second
    /// at which units are free.
    pub const fn exhausted(&self, quota: u32, used: Duration) -> Error {
        Error::RateLimited {
            policy: self.policy(),
            quota,
            retry_after: used.saturating_sub(WINDOW).as_secs() + 1,
        }
    }
}

/// The time that units take of a quota.
pub fn time_of(units: f64, quota: u32) -> Duration {
    let parts = units / f64::from(quota);
    Duration::try_from_secs_f64(parts * WINDOW.as_secs_f64()).unwrap_or(Duration::MAX)
}

/// The whole units of a quota that a time of it stands for.
pub fn units_of(time: Duration, quota: u32) -> u32 {
    let units = u128::from(quota) * time.as_millis() / WINDOW.as_millis();
    u32::try_from(units).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Id;

    #[test]
    fn the_wait_ends_when_units_are_free() {
        let user = QuotaHolder::User(UserId::new(7).unwrap());
        for (units, wait) in [(100.0, 1), (109.9, 1), (110.0, 2), (125.0, 3)] {
            let time = time_of(units, 100);
            let Error::RateLimited { retry_after, .. } = user.exhausted(100, time) else {
                panic!("another error");
            };
            assert_eq!(retry_after, wait, "{units}");
            assert!(time.saturating_sub(Duration::from_secs(wait)) < WINDOW);
        }
        assert_eq!(time_of(f64::MAX, 1), Duration::MAX);
        assert_eq!(units_of(Duration::from_millis(4_999), 100), 49);
        assert_eq!(units_of(WINDOW, u32::MAX), u32::MAX);
    }

    #[test]
    fn a_user_has_a_quarter_of_the_plan() {
        let plan = UnitsPerSecond::default();
        let organization = QuotaHolder::Organization(OrganizationId::new(1).unwrap());
        assert_eq!(plan.quota(&organization), 40_000);
        assert_eq!(plan.quota(&QuotaHolder::Token("hash".to_owned())), 10_000);
        assert_eq!(plan.most_waiting(), 40);
        assert_eq!(UnitsPerSecond(99).most_waiting(), 1);
        assert_eq!(UnitsPerSecond::new(0), None);
        assert_eq!(UnitsPerSecond::new(1_000_001), None);
    }
}
