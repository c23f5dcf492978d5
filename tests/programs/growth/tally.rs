//! Units of each operation by patterns of keys, and the rates at which partitions throttle.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    keys::{Pattern, Scope, Sort},
    units::{Access, Does},
};

/// Units that a partition reads and writes a second; a single item does too.
const READS: f64 = 3_000.0;
const WRITES: f64 = 1_000.0;

/// Read and write units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Units {
    pub reads: f64,
    pub writes: f64,
}

/// Units of an operation in the keys of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    pub all: Units,
    /// Units that stay in one partition, however often DynamoDB splits it.
    pub fixed: Units,
}

/// Operations by patterns.
pub struct Tally {
    pub patterns: BTreeMap<Pattern, Row>,
}

/// The costs in the keys of a pattern.
#[derive(Default)]
pub struct Row {
    pub loads: BTreeMap<String, Load>,
    /// Partition keys that share the load: 1, unless the pattern is the deployment's.
    pub partitions: u32,
}

impl Units {
    /// The part of a partition's capacity that these units a second take.
    pub fn of_limit(self) -> f64 {
        (self.reads / READS).max(self.writes / WRITES)
    }

    fn add(&mut self, access: &Access) {
        match access.does {
            Does::Read => self.reads += access.units,
            _ => self.writes += access.units,
        }
    }

    /// Adds other units so many times.
    pub fn add_times(&mut self, other: Self, times: f64) {
        self.reads += times * other.reads;
        self.writes += times * other.writes;
    }
}

impl Row {
    /// The operation with the highest cost, its units, and the rate a second at which its keys
    /// throttle. Where some units stay in one partition, the others do not count.
    pub fn costliest(&self) -> (&str, Units, f64) {
        let is_fixed = self.is_fixed();
        let loads = self
            .loads
            .iter()
            .map(|(operation, load)| {
                let units = if is_fixed { load.fixed } else { load.all };
                (operation, units)
            });
        let costliest = loads.max_by(|(_, units), (_, other_units)| {
            units
                .of_limit()
                .total_cmp(&other_units.of_limit())
        });
        let (operation, units) = costliest.unwrap();
        let rate = f64::from(self.partitions) / units.of_limit();
        (operation, units, rate)
    }

    /// Returns whether any of it stays in one partition.
    pub fn is_fixed(&self) -> bool {
        self.loads
            .values()
            .any(|load| load.fixed.of_limit() > 0.0)
    }
}

impl Tally {
    /// Sorts accesses by patterns. `partitions` are all that requests named.
    pub fn new(
        operations: BTreeMap<String, Vec<Access>>,
        partitions: &BTreeSet<(Option<String>, String)>,
    ) -> Self {
        let sorts = operations
            .values()
            .flatten()
            .filter_map(|access| {
                let pattern = pattern(access, Sort::of(access.sort.as_ref()?));
                Some(((pattern.index, pattern.partition), pattern.sort))
            });
        let mut by_list: BTreeMap<_, BTreeSet<Sort>> = BTreeMap::new();
        for (list, sort) in sorts {
            by_list
                .entry(list)
                .or_default()
                .insert(sort);
        }
        let mut patterns: BTreeMap<Pattern, Row> = BTreeMap::new();
        for (operation, accesses) in operations {
            for access in accesses {
                let mut pattern = pattern(&access, Sort::Spread);
                let list = (pattern.index.clone(), pattern.partition.clone());
                // An empty answer: the list has the form that other accesses show.
                let of_others = || {
                    by_list
                        .get(&list)
                        .and_then(BTreeSet::last)
                        .cloned()
                };
                let sort = access
                    .sort
                    .as_deref()
                    .map(Sort::of)
                    .or_else(of_others);
                pattern.sort = sort.unwrap_or(Sort::Spread);
                let row = patterns
                    .entry(pattern.clone())
                    .or_default();
                let load = row
                    .loads
                    .entry(operation.clone())
                    .or_default();
                load.all.add(&access);
                if is_fixed(&pattern, access.does) {
                    load.fixed.add(&access);
                }
            }
        }
        for (pattern, row) in &mut patterns {
            let same = partitions
                .iter()
                .filter(|(index, partition)| {
                    let other = Pattern::new(index.as_deref(), partition, Sort::Spread);
                    other.index == pattern.index && other.partition == pattern.partition
                });
            row.partitions = match pattern.scope {
                Scope::Deployment => u32::try_from(same.count()).unwrap(),
                _ => 1,
            };
        }
        Self { patterns }
    }
}

fn pattern(access: &Access, sort: Sort) -> Pattern {
    Pattern::new(access.index.as_deref(), &access.partition, sort)
}

/// Returns whether all accesses of this kind go to the same partition, however often it is split.
fn is_fixed(pattern: &Pattern, does: Does) -> bool {
    match pattern.sort {
        Sort::Item(_) | Sort::Day | Sort::Instant => true,
        // Records that are there are read and changed at any age.
        Sort::Number => does == Does::Add,
        Sort::Spread => false,
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn access(partition: &str, sort: &str, units: f64, does: Does) -> Access {
        Access {
            index: None,
            partition: partition.to_owned(),
            sort: Some(sort.to_owned()).filter(|sort| !sort.is_empty()),
            units,
            does,
        }
    }

    pub fn tally(operations: &[(&str, &[Access])], partitions: &[&str]) -> Tally {
        let operations = operations.iter();
        let operations = operations.map(|(name, accesses)| ((*name).to_owned(), accesses.to_vec()));
        let partitions = partitions
            .iter()
            .map(|name| (None, (*name).to_owned()));
        Tally::new(operations.collect(), &partitions.collect())
    }

    fn row<'a>(tally: &'a Tally, partition: &str) -> &'a Row {
        let mut rows = tally.patterns.iter();
        let row = rows.find(|(pattern, _)| pattern.partition == partition);
        row.unwrap().1
    }

    #[test]
    fn a_key_throttles_at_its_reads_or_its_writes() {
        let instant = "2026-01-15T12:00:00.000Z";
        let due = [
            access("DUE#x", instant, 8.0, Does::Add),
            access("DUE#x", instant, 2.0, Does::Change),
            // A query that finds nothing is one of the same list.
            access("DUE#x", "", 60.0, Does::Read),
        ];
        let often = [access("DUE#x", instant, 20.0, Does::Remove)];
        let tally = tally(&[("often", &often), ("due", &due)], &["DUE#x"]);
        assert_eq!(tally.patterns.len(), 1);
        let (operation, costs, rate) = row(&tally, "DUE#x").costliest();
        // 1,000 by 20 write units, before 3,000 by 60 read units; the other takes 1,000 by 10.
        let units = |reads: f64, writes: f64| Units { reads, writes };
        assert_eq!((operation, costs), ("often", units(0.0, 20.0)));
        assert!((rate - 50.0).abs() < 1e-9, "{rate}");
        // 3,000 by 90.
        assert!((units(90.0, 10.0).of_limit() - 0.03).abs() < 1e-9);
    }

    #[test]
    fn partitions_of_all_organizations_share_their_load() {
        let instant = "2026-01-15T12:00:00.000Z";
        let item = [access("DUE#x#3", instant, 10.0, Does::Add)];
        let shards = ["DUE#x#0", "DUE#x#1", "DUE#x#2", "DUE#x#3", "DUE#y#1"];
        let tally = tally(&[("due", &item)], &shards);
        let row = row(&tally, "DUE#x#<n>");
        assert_eq!(row.partitions, 4);
        assert!((row.costliest().2 - 400.0).abs() < 1e-9);
    }

    #[test]
    fn changes_of_records_by_id_spread_and_additions_do_not() {
        let number = "0000000000000007";
        let create = [access("ORG#1#TASK", number, 2.0, Does::Add)];
        let change = [
            access("ORG#1#TASK", number, 9.0, Does::Change),
            access("ORG#1#TASK", number, 90.0, Does::Read),
            access("ORG#1#CONNECTION", "billing", 4.0, Does::Add),
            access("ORG#1", "TOTALS", 4.0, Does::Change),
        ];
        let tally = tally(&[("create", &create), ("change", &change)], &[]);
        let (operation, _, rate) = row(&tally, "ORG#<org>#TASK").costliest();
        assert_eq!(operation, "create");
        assert!((rate - 500.0).abs() < 1e-9, "{rate}");
        assert!(!row(&tally, "ORG#<org>#CONNECTION").is_fixed());
        assert!(row(&tally, "ORG#<org>").is_fixed());
    }
}
