use std::{fmt, str::FromStr};

use chrono::{DateTime, Months, NaiveDate, NaiveDateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema, openapi::KnownFormat};

use crate::base::{
    FaultCode,
    input::{Component, InputPlace, Reading, Schema, formatted},
};

/// An instant in UTC, in whole milliseconds, in the years 0000 to 9999.
///
/// Parsed from RFC 3339 with any offset. Written as UTC with exactly three decimals and `Z`, a form
/// that also sorts as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The text is not an instant of RFC 3339 within the years 0000 to 9999 UTC.
#[derive(Debug, thiserror::Error)]
#[error("not a date-time of RFC 3339, such as 2026-01-31T09:30:00Z")]
pub struct NotATimestamp;

/// Spans of time, in milliseconds.
pub mod span {
    pub const SECOND: i64 = 1_000;
    pub const MINUTE: i64 = 60 * SECOND;
    pub const HOUR: i64 = 60 * MINUTE;
    pub const DAY: i64 = 24 * HOUR;
}

impl Timestamp {
    /// 0000-01-01T00:00:00.000Z
    const EARLIEST: i64 = -62_167_219_200_000;
    /// 9999-12-31T23:59:59.999Z
    const LATEST: i64 = 253_402_300_799_999;

    /// From milliseconds since the Unix epoch, clamped to the years 0000 to 9999.
    pub const fn from_millis(millis: i64) -> Self {
        match millis {
            ..Self::EARLIEST => Self(Self::EARLIEST),
            Self::EARLIEST..=Self::LATEST => Self(millis),
            _ => Self(Self::LATEST),
        }
    }

    /// Milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, for DynamoDB's TTL.
    pub const fn epoch_seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// The instant `millis` later (earlier if negative), clamped to the years 0000 to 9999.
    #[must_use]
    pub const fn plus(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to this instant; negative if `earlier` is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    /// Returns the instant `months` earlier, on the same day or the last day of that month.
    #[must_use]
    pub fn months_earlier(self, months: u32) -> Self {
        let at = DateTime::<Utc>::from_timestamp_millis(self.0);
        let earlier = at.and_then(|at| at.checked_sub_months(Months::new(months)));
        earlier.map_or(self, Self::from)
    }

    /// The start of the day in UTC.
    #[must_use]
    pub const fn start_of_day(self) -> Self {
        Window::of(self, span::DAY).start
    }

    #[must_use]
    pub const fn start_of_minute(self) -> Self {
        Window::of(self, span::MINUTE).start
    }

    /// The day in UTC, as `2026-01-31`.
    pub fn day(self) -> String {
        let mut text = self.to_string();
        text.truncate("2026-01-31".len());
        text
    }
}

/// A part of time in which something is counted. Windows of one length follow one another from the
/// Unix epoch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: Timestamp,
    pub end: Timestamp,
}

impl Window {
    /// The window that an instant is in, of those of so many milliseconds.
    pub const fn of(at: Timestamp, length: i64) -> Self {
        let start = at.plus(-at.0.rem_euclid(length));
        Self {
            start,
            end: start.plus(length),
        }
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self::from_millis(at.timestamp_millis())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The constructors hold the bounds, within which chrono has every instant.
        let at = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        f.write_str(&at.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, NotATimestamp> {
        let at = DateTime::parse_from_rfc3339(text).map_err(|_| NotATimestamp)?;
        let millis = at.timestamp_millis();
        let fits = (Self::EARLIEST..=Self::LATEST).contains(&millis);
        fits.then_some(Self(millis))
            .ok_or(NotATimestamp)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The rule broken by a text other than an instant, as the predicate of a sentence.
fn advice(text: &str, is_query: bool) -> &'static str {
    let is_instant = |text: &str| text.parse::<Timestamp>().is_ok();
    let split = text.rsplit_once(' ');
    let with_plus = |(time, offset)| is_instant(&format!("{time}+{offset}"));
    if is_query && split.is_some_and(with_plus) {
        "have its + as %2B: a + in a query is a space"
    } else if NaiveDate::from_str(text).is_ok() {
        "have a time and an offset after the day, such as 2026-01-31T09:30:00Z"
    } else if NaiveDateTime::from_str(text).is_ok() {
        "have an offset after the time: Z, or for example +01:00"
    } else {
        "be a date-time of RFC 3339, such as 2026-01-31T09:30:00Z"
    }
}

impl Component for Timestamp {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let text = place.text(value)?;
        text.parse().ok().or_else(|| {
            let advice = advice(text, place.is_query());
            place.must(FaultCode::DateTime, advice)
        })
    }
}

impl PartialSchema for Timestamp {
    fn schema() -> Schema {
        let about = "A date-time of RFC 3339. Answers have UTC with exactly three decimals.";
        formatted(KnownFormat::DateTime)
            .description(Some(about))
            .examples(["2026-01-31T09:30:00.000Z"])
            .into()
    }
}

impl ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_its_length() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let window = |text| Window::of(at(text), 10 * span::SECOND);
        let first = window("2026-01-15T12:00:10Z");
        assert_eq!(first.start, at("2026-01-15T12:00:10Z"));
        assert_eq!(window("2026-01-15T12:00:19.999Z"), first);
        assert_eq!(window("2026-01-15T12:00:20Z").start, first.end);
    }

    #[test]
    fn any_offset_comes_out_as_utc_with_three_decimals() {
        for (sent, answered) in [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
            (
                "2026-01-31T09:30:00.1234567+02:00",
                "2026-01-31T07:30:00.123Z",
            ),
            ("2026-01-01t00:00:00-00:30", "2026-01-01T00:30:00.000Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ] {
            let at: Timestamp = sent.parse().unwrap();
            assert_eq!(at.to_string(), answered);
        }
    }

    #[test]
    fn the_advice_names_what_is_missing() {
        for (text, is_query, expected) in [
            ("2026-01-31", false, "a time and an offset"),
            ("2026-01-31T09:30:00", false, "an offset after"),
            ("2026-01-31T09:30:00.123", true, "an offset after"),
            ("2026-01-31T09:30:00 01:00", true, "%2B"),
            ("2026-01-31T09:30:00 01:00", false, "RFC 3339"),
            ("2026-02-30", false, "RFC 3339"),
            ("9999-12-31T23:59:59-01:00", false, "RFC 3339"),
        ] {
            assert!(advice(text, is_query).contains(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        let texts = "|2026-01-31|2026-01-31T09:30:00|2026-02-30T00:00:00Z|9999-12-31T23:59:59-01:00|\
                     0000-01-01T00:00:00+01:00|+12026-01-31T09:30:00Z|now";
        for text in texts.split('|') {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
