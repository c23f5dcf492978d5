//! Costs of a million requests, and of months of three loads: counted units and bytes, assumed
//! usage, and list prices.

use std::collections::BTreeMap;

use ::tests::table;

use crate::{
    measure::Measured,
    report::thousands,
    tally::Units,
    usage::{ACTION, REMINDER, a_day},
};

/// List prices of us-east-1 in dollars, as of 2025: of a million units.
const READ: f64 = 0.125;
const WRITE: f64 = 0.625;
/// Of an hour of a provisioned unit a second.
const READ_HOUR: f64 = 0.00013;
const WRITE_HOUR: f64 = 0.00065;
/// The part of provisioned capacity that is used, as the template scales it.
const USE: f64 = 0.6;
/// Of a million requests of the gateway: the first 300 million of a month, and more.
const GATEWAY: [f64; 2] = [1.00, 0.90];
const GATEWAY_TIER: f64 = 300.0;
/// Of a million invocations of 30 ms at 0.4 GB.
const FUNCTIONS: f64 = 0.20 + 13.33 * 0.03 * 0.4;
/// Of a million kB, which are a GB: of logs, and of data out of AWS.
const LOGS: f64 = 0.50;
const EGRESS: f64 = 0.09;

/// kB of a request in the functions' log: its own line, and what Lambda adds to each run.
const LINE: f64 = 0.45;
const RUN: f64 = 0.35;
/// kB of a request in the gateway's log.
const ACCESS_LINE: f64 = 0.4;
/// kB of an answer's headers.
const HEADERS: f64 = 0.5;

const SECONDS_A_MONTH: f64 = 730.0 * 3_600.0;

/// Requests a second.
const RATES: [f64; 3] = [100.0, 1_000.0, 10_000.0];

/// The parameters of a stack that decide its costs.
struct Choice {
    name: &'static str,
    is_provisioned: bool,
    has_access_log: bool,
    success_log_share: f64,
}

const CHOICES: [Choice; 3] = [
    Choice {
        name: "every line logged",
        is_provisioned: false,
        has_access_log: true,
        success_log_share: 1.0,
    },
    Choice {
        name: "by default",
        is_provisioned: false,
        has_access_log: false,
        success_log_share: 0.1,
    },
    Choice {
        name: "provisioned",
        is_provisioned: true,
        has_access_log: false,
        success_log_share: 0.1,
    },
];

/// The averages of a request.
struct Request {
    units: Units,
    /// kB of the answer, with its headers.
    answer: f64,
}

impl Request {
    /// The average of the assumed usage.
    fn average(measured: &Measured) -> Self {
        let mut units: BTreeMap<&str, Units> = BTreeMap::new();
        for row in measured.tally.patterns.values() {
            for (operation, load) in &row.loads {
                units
                    .entry(operation)
                    .or_default()
                    .add_times(load.all, 1.0);
            }
        }
        let mut sum = Units::default();
        let mut bytes = 0.0;
        let mut times = 0.0;
        let mut answers = 0.0;
        for (operation, units) in units {
            let a_day = a_day(operation);
            sum.add_times(units, a_day);
            times += a_day;
            if let Some(size) = measured.bytes.get(operation) {
                bytes += a_day * f64::from(*size);
                answers += a_day;
            }
        }
        assert!(times - answers <= a_day(ACTION) + a_day(REMINDER));
        let mut average = Units::default();
        average.add_times(sum, 1.0 / times);
        let answer = HEADERS + bytes / answers / 1_000.0;
        Self {
            units: average,
            // Answers have random ids, which compress by some bytes more or less.
            answer: (10.0 * answer).round() / 10.0,
        }
    }
}

/// Dollars by service, for some millions of requests.
struct Costs([f64; 6]);

const SERVICES: [&str; 6] = ["reads", "writes", "gateway", "functions", "logs", "egress"];

impl Costs {
    fn new(request: &Request, choice: &Choice, millions: f64) -> Self {
        let Units { reads, writes } = request.units;
        let [read, write] = if choice.is_provisioned {
            // An hour of a unit a second is 3,600 units.
            [READ_HOUR, WRITE_HOUR].map(|hour| hour / 3_600.0 * 1e6 / USE)
        } else {
            [READ, WRITE]
        };
        let first = millions.min(GATEWAY_TIER);
        let mut log = RUN + LINE * choice.success_log_share;
        if choice.has_access_log {
            log += ACCESS_LINE;
        }
        Self([
            millions * reads * read,
            millions * writes * write,
            first * GATEWAY[0] + (millions - first) * GATEWAY[1],
            millions * FUNCTIONS,
            millions * log * LOGS,
            millions * request.answer * EGRESS,
        ])
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    fn row(&self, label: &str, text: impl Fn(f64) -> String) -> String {
        let parts = self.0.map(&text).join(" | ");
        format!("| {label} | {parts} | {} |", text(self.sum()))
    }
}

/// The averages, the costs of a million requests, and those of a month.
pub fn lines(measured: &Measured) -> Vec<String> {
    let request = Request::average(measured);
    let Units { reads, writes } = request.units;
    let a_million = CHOICES
        .each_ref()
        .map(|choice| Costs::new(&request, choice, 1.0));
    let [most, less, least] = a_million.each_ref().map(Costs::sum);
    let saved = |costs: f64| 100.0 * (1.0 - costs / most);
    let answer = request.answer;
    let less = saved(less);
    let least = saved(least);
    let head = "| read units of a request | write units | kB of its answer | cheaper by default | if provisioned |";
    let row = format!("| {reads:.1} | {writes:.1} | {answer:.1} | {less:.0} % | {least:.0} % |");
    let mut table_lines = table(head, [row]);
    // The next table begins with the empty line between both.
    table_lines.pop();
    let mut lines = Vec::new();
    for (choice, costs) in CHOICES.iter().zip(&a_million) {
        let label = format!("a million requests, {}", choice.name);
        lines.push(costs.row(&label, |dollars| format!("{dollars:.2}")));
    }
    for rate in RATES {
        for choice in &CHOICES {
            let costs = Costs::new(&request, choice, rate * SECONDS_A_MONTH / 1e6);
            let label = format!("{} a second, {}", thousands(rate), choice.name);
            lines.push(costs.row(&label, thousands));
        }
    }
    let head = format!("| $ for | {} | together |", SERVICES.join(" | "));
    table_lines.extend(table(&head, lines));
    table_lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_service_has_its_price() {
        let request = Request {
            units: Units {
                reads: 16.0,
                writes: 1.6,
            },
            answer: 10.0,
        };
        let [every, default, provisioned] = CHOICES
            .each_ref()
            .map(|choice| Costs::new(&request, choice, 1.0).0);
        // 16 × 0.125, 1.6 × 0.625, 1.00, 0.20 + 0.16, 1.2 × 0.50, 10 × 0.09.
        for (cost, wanted) in every
            .iter()
            .zip([2.0, 1.0, 1.0, 0.36, 0.6, 0.9])
        {
            assert!((cost - wanted).abs() < 1e-3, "{cost}, not {wanted}");
        }
        assert!((every[4] - default[4] - 0.4025).abs() < 1e-3);
        assert!((provisioned[0] / default[0] - 0.48).abs() < 0.01);
        assert!((provisioned[1] / default[1] - 0.48).abs() < 0.01);
    }
}
