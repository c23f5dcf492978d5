//! Periods of a playbook: the time until an effect shows, and the times of tries.

use agent::action::Attempts;
use model::base::span;
use serde::Deserialize;

/// Milliseconds, in the file a number of minutes, hours or days: `"90m"`, `"24h"` or `"7d"`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Period(pub(super) i64);

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let units = [('m', span::MINUTE), ('h', span::HOUR), ('d', span::DAY)];
        let period = units
            .into_iter()
            .find_map(|(unit, millis)| {
                let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
                Some(i64::from(number) * millis)
            });
        let period = period.filter(|millis| *millis <= 366 * span::DAY);
        period.map(Self).ok_or_else(|| {
            format!("{text:?} is no period such as \"90m\", \"24h\" or \"7d\", up to 366d")
        })
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
            within: self.within.0,
            apart: self.apart.0,
        }
    }
}
