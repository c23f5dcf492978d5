//! Periods of a playbook: the time until an effect shows, and the times of tries.

use agent::action::Attempts;
use model::span;
use serde::Deserialize;

/// A period in minutes, hours or days, such as `"90m"`, `"24h"` or `"7d"`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Period(i64);

const MOST_DAYS: i64 = 366;

impl Period {
    pub(super) const fn millis(self) -> i64 {
        self.0
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let units = [('m', span::MINUTE), ('h', span::HOUR), ('d', span::DAY)];
        let period = units.into_iter().find_map(|(unit, millis)| {
            let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
            Some(i64::from(number) * millis)
        });
        let period = period.filter(|millis| *millis <= MOST_DAYS * span::DAY);
        let none =
            || format!("{text:?} is no period such as \"90m\", \"24h\" or \"7d\", up to 366d");
        period.map(Self).ok_or_else(none)
    }
}

/// The number of tries in the file: `{ most = 4, within = "30d", apart = "24h" }`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AttemptsInFile {
    most: u8,
    within: Period,
    apart: Period,
}

impl AttemptsInFile {
    pub(super) fn limit(self) -> Attempts {
        Attempts {
            most: self.most.into(),
            within: self.within.millis(),
            apart: self.apart.millis(),
        }
    }
}
