//! The number of times that an effect may be tried.

use model::{Timestamp, span};
use serde::{Deserialize, Serialize};

/// The number of times that an effect on a record may be tried, over all sessions and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempts {
    /// The most tries.
    pub most: usize,
    /// The milliseconds within which they count.
    pub within: i64,
    /// The least milliseconds between two tries.
    pub apart: i64,
}

impl Attempts {
    /// The default of an action that takes money: one try a day.
    pub const OF_MONEY: Self = Self {
        most: 1,
        within: span::DAY,
        apart: 0,
    };

    /// Returns why another try is not allowed now, after these tries.
    #[must_use]
    pub fn refuse(self, tries: &[Timestamp], now: Timestamp) -> Option<String> {
        let hours = |millis: i64| millis / span::HOUR;
        let recent = tries.iter().filter(|at| now < at.plus(self.within)).count();
        if recent >= self.most {
            let within = hours(self.within);
            return Some(format!(
                "attempts_reached: it was tried {recent} times within {within} hours, as often as \
                 its playbook allows. Nothing was sent."
            ));
        }
        let last = tries.iter().max()?;
        let next = last.plus(self.apart);
        (now < next).then(|| {
            format!("attempts_reached: it may be tried again from {next} on. Nothing was sent.")
        })
    }
}
