//! The results, as tables in Markdown.

use std::fmt;

use crate::{
    cold_start::{ColdStart, ColdStarts},
    median,
    options::Options,
    pair::Round,
    reads::Read,
};

/// Bytes that a function may have resident.
const MOST_RESIDENT: u64 = 25 * MEGABYTE;
/// Megabytes that a package may have.
const MOST_PACKAGE: f64 = 6.5;
/// The most megabytes of a package with a client for other systems, beside the SDK's client.
const MOST_CALLING_PACKAGE: f64 = 8.0;
/// The functions that call other systems: an identity provider, billing and payment systems.
const CALLING: [&str; 2] = ["auth", "resolution-agent"];
const MEGABYTE: u64 = 1024 * 1024;

/// All that was measured.
#[derive(Debug)]
pub struct Report {
    reads: Vec<ReadRow>,
    functions: Vec<FunctionRow>,
    /// The cold start of an empty function, in milliseconds.
    empty: f64,
}

/// A read; times in milliseconds, ratios to the bare requests.
#[derive(Debug)]
pub struct ReadRow {
    pub read: &'static str,
    pub most_cpu: Option<f64>,
    pub wall: f64,
    pub wall_ratio: f64,
    pub cpu: f64,
    pub cpu_ratio: f64,
}

/// A function; sizes in bytes.
#[derive(Debug)]
pub struct FunctionRow {
    pub name: &'static str,
    pub cold_start: Option<ColdStart>,
    pub resident: u64,
    pub package: usize,
}

impl ReadRow {
    /// The medians of these rounds of a read.
    pub fn of(read: &Read, rounds: &[Round], options: &Options) -> Self {
        let median_of = |of: fn(&Round) -> f64| median(rounds.iter().map(of));
        Self {
            read: read.title,
            most_cpu: read
                .most_cpu
                .filter(|_| options.judges_cpu),
            wall: median_of(|round| round.ours.wall),
            wall_ratio: median_of(|round| round.ours.wall / round.bare.wall),
            cpu: median_of(|round| round.ours.cpu),
            cpu_ratio: median_of(|round| round.ours.cpu / round.bare.cpu),
        }
    }
}

impl Report {
    /// Of functions whose cold starts stand in the same order.
    pub fn new(reads: Vec<ReadRow>, mut functions: Vec<FunctionRow>, starts: ColdStarts) -> Self {
        for (row, start) in functions
            .iter_mut()
            .zip(starts.functions)
        {
            row.cold_start = Some(start);
        }
        Self {
            reads,
            functions,
            empty: starts.empty,
        }
    }

    /// Returns whether nothing is larger or slower than it may be.
    pub fn is_within_bounds(&self) -> bool {
        self.broken().is_empty()
    }

    /// Returns the sizes and times that are larger than they may be.
    fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for row in &self.reads {
            if let Some(most) = row
                .most_cpu
                .filter(|most| row.cpu_ratio > *most)
            {
                broken.push(format!(
                    "{}: {:.2} times the CPU time of the bare requests, the most is {most}",
                    row.read, row.cpu_ratio
                ));
            }
        }
        for row in &self.functions {
            if row.resident >= MOST_RESIDENT {
                let most = MOST_RESIDENT / MEGABYTE;
                broken.push(format!("{}: {most} MB of memory or more", row.name));
            }
            let calls = CALLING.contains(&row.name);
            let most = if calls {
                MOST_CALLING_PACKAGE
            } else {
                MOST_PACKAGE
            };
            if megabytes(row.package as u64) >= most {
                broken.push(format!("{}: a package of {most} MB or more", row.name));
            }
        }
        broken
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| read | wall ms | × bare | CPU ms | × bare |")?;
        writeln!(f, "|---|---|---|---|---|")?;
        for row in &self.reads {
            writeln!(
                f,
                "| {} | {:.1} | {:.2} | {:.2} | {:.2} |",
                row.read, row.wall, row.wall_ratio, row.cpu, row.cpu_ratio
            )?;
        }
        let head = "| function | cold start ms | × empty | × bare | memory MB | package MB |";
        writeln!(f, "\n{head}")?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        writeln!(f, "| (empty) | {:.1} | 1.0 | | | |", self.empty)?;
        for row in &self.functions {
            write!(f, "| {} ", row.name)?;
            if let Some(start) = &row.cold_start {
                let time = start.time;
                let to_empty = start.to_empty;
                let to_bare = start.to_bare;
                write!(f, "| {time:.1} | {to_empty:.1} | {to_bare:.2} ")?;
            }
            let resident = megabytes(row.resident);
            let package = megabytes(row.package as u64);
            writeln!(f, "| {resident:.1} | {package:.1} |")?;
        }
        for broken in self.broken() {
            write!(f, "\nToo much. {broken}")?;
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "for the eye")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / MEGABYTE as f64
}
