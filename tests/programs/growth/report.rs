//! The tables, as Markdown.

use ::tests::table;

use crate::{
    forecast::{Forecast, Limited, forecasts},
    keys::{Pattern, Scope},
    measure::Measured,
    tally::{Row, Tally, Units},
    usage::SIZES,
};

/// Keys of organizations that take as many operations a second are summed up in one line.
const MANY: f64 = 500.0;

/// Keys that are at least so full in the largest deployment have a line.
const FULL: f64 = 0.1;

/// The fullest keys of the largest organization that have a line in any case.
const OF_LARGEST: usize = 3;

/// A line of the table of keys.
struct Line<'a> {
    key: String,
    scope: &'a Scope,
    /// Partition keys that share the load.
    keys: u32,
    operation: String,
    units: Units,
    rate: f64,
    splits: bool,
    /// A line of several patterns, of which this is the first.
    is_merged: bool,
}

/// A line for each pattern of keys, first the first to throttle: with `all`, of every pattern; else
/// of those that no split helps.
pub fn keys(tally: &Tally, shows_all: bool) -> Vec<String> {
    let patterns = tally.patterns.iter();
    let patterns =
        patterns.filter(|(pattern, row)| shows_all || (is_shared(pattern) && row.is_fixed()));
    let lines = patterns.map(|(pattern, row)| Line::new(pattern, row));
    let mut lines: Vec<Line<'_>> = lines.collect();
    lines.sort_by(|line, other| {
        let scopes = line.scope.cmp(other.scope);
        scopes.then(line.rate.total_cmp(&other.rate))
    });
    let mut others = 0;
    if !shows_all {
        let before = lines.len();
        lines.retain(|line| *line.scope == Scope::Deployment || line.rate < MANY);
        others = before - lines.len();
        lines = merged(lines);
    }
    let mut rows: Vec<String> = lines.iter().map(Line::text).collect();
    if others > 0 {
        let many = round(MANY);
        let line = format!("| {others} others | an organization | | | | | {many} or more |");
        rows.push(line);
    }
    let head = "| key | shared by | keys | costs most | R | W | a second |";
    table(head, rows)
}

/// A line for each part of a deployment, and for each key that a large one comes near to. The first
/// one breaks first.
pub fn sizes(measured: &Measured) -> Vec<String> {
    let largest = SIZES.len() - 1;
    let mut of_organizations = 0;
    let mut lines = forecasts(measured);
    lines.retain(|line| {
        let is_of_largest =
            matches!(&line.of, Limited::Key(key) if key.scope == Scope::Organization);
        of_organizations += usize::from(is_of_largest);
        matches!(line.of, Limited::Part(_))
            || line.used[largest] >= FULL
            || (is_of_largest && of_organizations <= OF_LARGEST)
    });
    let sizes = SIZES.map(|(organizations, _)| thousands(organizations));
    let head = format!("| limit | {} | full at |", sizes.join(" | "));
    table(&head, lines.iter().map(size))
}

fn size(line: &Forecast<'_>) -> String {
    let (of, unit) = match &line.of {
        Limited::Table(units) => (format!("{units} of the table"), "organizations"),
        Limited::Key(key) if key.scope == Scope::Organization => {
            (format!("{key}, of the largest"), "times the average")
        }
        Limited::Key(key) => (key.to_string(), "organizations"),
        Limited::Part(part) => (part.name.clone(), "organizations"),
    };
    let used = line.used.map(percent).join(" | ");
    format!("| {of} | {used} | {} {unit} |", round(line.full_at))
}

/// Returns whether a whole organization or more shares the keys.
fn is_shared(pattern: &Pattern) -> bool {
    matches!(pattern.scope, Scope::Deployment | Scope::Organization)
}

/// One line for those of the deployment that differ in the second part of their partition keys
/// alone.
fn merged(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let mut merged: Vec<Line<'_>> = Vec::new();
    for line in lines {
        let same = merged
            .iter_mut()
            .find(|earlier| earlier.is_like(&line));
        if let Some(earlier) = same.filter(|earlier| *earlier.scope == Scope::Deployment) {
            earlier.keys += line.keys;
            earlier.is_merged = true;
        } else {
            merged.push(line);
        }
    }
    merged
}

impl<'a> Line<'a> {
    fn new(pattern: &'a Pattern, row: &Row) -> Self {
        let (operation, units, rate) = row.costliest();
        Self {
            key: pattern.to_string(),
            scope: &pattern.scope,
            keys: row.partitions,
            operation: code(operation),
            units,
            rate,
            splits: !row.is_fixed(),
            is_merged: false,
        }
    }

    /// The key without the second part of its partition key.
    fn short_key(&self) -> Option<String> {
        let (first, rest) = self.key.split_once('#')?;
        let (_, sort) = rest.split_once('`')?;
        Some(format!("{first}#…`{sort}"))
    }

    fn is_like(&self, other: &Self) -> bool {
        let key = self.short_key();
        key.is_some() && key == other.short_key() && self.units == other.units
    }

    fn text(&self) -> String {
        let Units { reads, writes } = self.units;
        let (key, others) = match self.short_key() {
            Some(key) if self.is_merged => (key, " and others"),
            _ => (self.key.clone(), ""),
        };
        format!(
            "| {key} | {} | {} | {}{others} | {} | {} | {}{} |",
            self.scope,
            self.keys,
            self.operation,
            short(reads),
            short(writes),
            round(self.rate),
            if self.splits { ", then it splits" } else { "" },
        )
    }
}

/// An operation as code, unless it is named in words.
fn code(operation: &str) -> String {
    let mark = if operation.contains(" /api/") {
        "`"
    } else {
        ""
    };
    format!("{mark}{operation}{mark}")
}

/// Units without a fraction that is zero.
fn short(units: f64) -> String {
    let text = format!("{units:.1}");
    text.strip_suffix(".0")
        .unwrap_or(&text)
        .to_owned()
}

/// A number with two digits that count.
fn round(number: f64) -> String {
    let mut unit = 1.0;
    while number / unit >= 100.0 {
        unit *= 10.0;
    }
    if number < 10.0 {
        return short(number);
    }
    thousands((number / unit).floor() * unit)
}

/// A whole number with commas.
pub fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent < 1.0 {
        "< 1 %".to_owned()
    } else {
        format!("{} %", round(percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_too_large() {
        let numbers = [0.5, 9.96, 25.9, 999.0, 12_345.0, 1_987_654.0];
        let short = ["0.5", "10", "25", "990", "12,000", "1,900,000"];
        assert_eq!(numbers.map(round), short);
        assert_eq!([0.004, 0.5, 1.239].map(percent), ["< 1 %", "50 %", "120 %"]);
    }
}
