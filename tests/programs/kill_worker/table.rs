//! The printed table.

use crate::world::Kind;

/// Results for the records of one target system.
pub struct Row {
    kind: Kind,
    /// Messages that were delivered to workers.
    pub messages: usize,
    records: usize,
    effects: usize,
    lost: usize,
    doubled: usize,
    first: Counted,
    later: Counted,
}

/// Actions, and those of them that ended as they should.
#[derive(Default)]
struct Counted {
    all: usize,
    as_expected: usize,
}

const WIDTHS: [usize; 9] = [26, 7, 6, 8, 7, 4, 7, 13, 14];

/// Prints the names of the columns.
pub fn head() {
    line(&[
        "target system",
        "records",
        "killed",
        "messages",
        "effects",
        "lost",
        "doubled",
        "first session",
        "later sessions",
    ]);
}

impl Row {
    /// Of no record yet.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            messages: 0,
            records: 0,
            effects: 0,
            lost: 0,
            doubled: 0,
            first: Counted::default(),
            later: Counted::default(),
        }
    }

    /// A record that has so many effects.
    pub fn record(&mut self, effects: usize) {
        self.records += 1;
        self.effects += effects;
        self.lost += usize::from(effects == 0);
        self.doubled += usize::from(effects > 1);
    }

    /// The action of the session that asked first.
    pub fn first(&mut self, as_expected: bool) {
        self.first.count(as_expected);
    }

    /// The action of a session that asked later.
    pub fn later(&mut self, as_expected: bool) {
        self.later.count(as_expected);
    }

    /// Returns whether every record has one effect, and every action ended as it should.
    pub fn is_sound(&self) -> bool {
        self.lost + self.doubled == 0 && self.first.is_sound() && self.later.is_sound()
    }

    /// Prints it.
    pub fn print(&self) {
        let (system, first) = match self.kind {
            Kind::Keyed => ("billing, honours keys", "succeeded"),
            Kind::Unkeyed => ("notifications, does not", "unknown"),
        };
        line(&[
            system,
            &self.records.to_string(),
            &self.records.to_string(),
            &self.messages.to_string(),
            &self.effects.to_string(),
            &self.lost.to_string(),
            &self.doubled.to_string(),
            &format!("{} {first}", self.first.as_expected),
            &format!("{} skipped", self.later.as_expected),
        ]);
    }
}

impl Counted {
    fn count(&mut self, as_expected: bool) {
        self.all += 1;
        self.as_expected += usize::from(as_expected);
    }

    const fn is_sound(&self) -> bool {
        self.all == self.as_expected
    }
}

fn line(cells: &[&str; WIDTHS.len()]) {
    let cells = cells.iter().zip(WIDTHS);
    let cells: Vec<String> = cells
        .map(|(cell, width)| format!("{cell:<width$}"))
        .collect();
    println!("{}", cells.join("  ").trim_end());
}
