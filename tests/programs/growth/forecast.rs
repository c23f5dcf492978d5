//! The load of keys in deployments of some sizes.

use crate::{
    keys::{Pattern, Scope},
    measure::Measured,
    parts::{Part, parts},
    tally::{Tally, Units},
    usage::{PEAK, SIZES, TABLE, a_day},
};

const SECONDS: f64 = 86_400.0;

/// Something that has a limit.
pub enum Limited<'a> {
    /// The reads or the writes of the table, without its indexes, which have limits of their own.
    Table(&'static str),
    Key(&'a Pattern),
    /// Any other part of the deployment.
    Part(Part),
}

/// The load of something that has a limit.
pub struct Forecast<'a> {
    pub of: Limited<'a>,
    /// The part of the limit that is used in the busiest second, for each size.
    pub used: [f64; SIZES.len()],
    /// The size at which it is used up: organizations, or times the average organization.
    pub full_at: f64,
}

/// The load of every part of the deployment, and of every key of all organizations and of the
/// largest one. Fullest first.
pub fn forecasts(measured: &Measured) -> Vec<Forecast<'_>> {
    let mut forecasts = of_keys(&measured.tally);
    for part in parts(measured) {
        let used = part.used;
        forecasts.push(Forecast::new(Limited::Part(part), used, organizations));
    }
    let last = SIZES.len() - 1;
    forecasts.sort_by(|forecast, other| other.used[last].total_cmp(&forecast.used[last]));
    forecasts
}

/// The load of the table, and of its keys.
fn of_keys(tally: &Tally) -> Vec<Forecast<'_>> {
    let table = of_table(tally);
    let of_table = [("reads", table.reads), ("writes", table.writes)].into_iter();
    let of_table = of_table
        .map(|(name, units)| Forecast::new(Limited::Table(name), units / TABLE, organizations));
    let mut forecasts: Vec<_> = of_table.collect();
    for (pattern, row) in &tally.patterns {
        let mut units = Units::default();
        for (operation, load) in &row.loads {
            units.add_times(load.fixed, a_second(operation));
        }
        let used = units.of_limit() / f64::from(row.partitions);
        let scale: fn(_) -> _ = match pattern.scope {
            Scope::Deployment => organizations,
            Scope::Organization => largest,
            Scope::Part(_) => continue,
        };
        forecasts.push(Forecast::new(Limited::Key(pattern), used, scale));
    }
    forecasts
}

/// The organizations of a size.
fn organizations((organizations, _): (f64, f64)) -> f64 {
    organizations
}

/// The size of the largest organization, as times the average.
fn largest((_, times): (f64, f64)) -> f64 {
    times
}

/// The units of the table that an average organization uses in the busiest second.
fn of_table(tally: &Tally) -> Units {
    let mut units = Units::default();
    for (pattern, row) in &tally.patterns {
        for (operation, load) in row
            .loads
            .iter()
            .filter(|_| pattern.index.is_none())
        {
            units.add_times(load.all, a_second(operation));
        }
    }
    units
}

/// Operations of an average organization in the busiest second.
pub fn a_second(operation: &str) -> f64 {
    PEAK * a_day(operation) / SECONDS
}

impl<'a> Forecast<'a> {
    fn new(of: Limited<'a>, used: f64, scale: impl Fn((f64, f64)) -> f64) -> Self {
        Self {
            of,
            used: SIZES.map(|size| scale(size) * used),
            full_at: 1.0 / used,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tally::tests::{access, tally},
        units::Does,
        usage::OTHERS,
    };

    #[test]
    fn all_organizations_fill_a_shared_key_and_the_largest_its_own() {
        let often = [
            access("DUE#x#0", "2026-01-15T12:00:00.000Z", 8.0, Does::Add),
            access("ORG#1", "TOTALS", 30.0, Does::Read),
            access("ORG#1#TASK", "0000000000000007", 400.0, Does::Read),
        ];
        let tally = tally(&[("often", &often)], &["DUE#x#0", "DUE#x#1"]);
        let forecasts = of_keys(&tally);
        // Operations of one organization in the busiest second.
        let rate = PEAK * OTHERS / 86_400.0;
        let is = |limit: &str, used: [f64; 3]| {
            let mut same = forecasts
                .iter()
                .filter(|forecast| match &forecast.of {
                    Limited::Table(name) => *name == limit,
                    Limited::Key(key) => key.partition == limit,
                    Limited::Part(_) => false,
                });
            let actual = same.next().unwrap().used;
            let mut both = actual.iter().zip(used);
            let holds = both.all(|(actual, used)| (actual - used).abs() < 1e-9);
            assert!(holds, "{limit}: {actual:?}, not {used:?}");
        };
        // 8 write units of 1,000, in two partitions.
        is("DUE#x#<n>", SIZES.map(|(total, _)| total * rate * 0.004));
        // 30 read units of 3,000.
        is("ORG#<org>", SIZES.map(|(_, largest)| largest * rate * 0.01));
        // Records by id spread, so that nothing of theirs is fixed.
        is("ORG#<org>#TASK", [0.0; 3]);
        is(
            "reads",
            SIZES.map(|(total, _)| total * rate * 430.0 / 40_000.0),
        );
        let due = forecasts.iter().find(
            |forecast| matches!(&forecast.of, Limited::Key(key) if key.scope == Scope::Deployment),
        );
        assert!((due.unwrap().full_at * rate * 0.004 - 1.0).abs() < 1e-9);
    }
}
