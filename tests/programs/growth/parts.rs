//! The parts of a deployment besides the table: gateway, functions, shards of the stream, and
//! queues.

use std::collections::BTreeMap;

use serde_json::Value;
use tests::support::operations;

use crate::{
    forecast::a_second,
    keys::Pattern,
    measure::{Measured, Work},
    report::thousands,
    usage::{ACTION, CPU, GATEWAY, INSTANCES, SECONDS, SHARDS, WAIT},
};

/// Megabytes that buy a whole processor.
const PROCESSOR: f64 = 1_769.0;

/// Requests of an action besides its worker's: its session is opened, it is proposed and approved.
const REQUESTS_OF_ACTION: f64 = 3.0;

/// A part and its load.
#[derive(Debug)]
pub struct Part {
    pub name: String,
    /// The part of its limit that an average organization uses in the busiest second.
    pub used: f64,
}

/// The settings of the template that limit its parts.
struct Template(Value);

impl Template {
    fn deployed() -> Self {
        Self(tests::support::roles::template())
    }

    /// A number; of a parameter, its default.
    fn number(&self, value: &Value) -> f64 {
        let parameter = value
            .as_str()
            .map(|name| &self.0["Parameters"][name]);
        let default = parameter.map(|parameter| &parameter["Default"]);
        default
            .unwrap_or(value)
            .as_f64()
            .unwrap()
    }

    fn properties(&self, function: &str) -> &Value {
        let resources = self.0["Resources"].as_object().unwrap();
        let code = format!("../target/lambda/{function}/");
        let mut all_properties = resources
            .values()
            .map(|resource| &resource["Properties"]);
        all_properties
            .find(|properties| properties["CodeUri"] == *code)
            .unwrap()
    }

    /// A setting of the first event source that has it.
    fn source(&self, function: &str, setting: &str) -> f64 {
        let sources = self.properties(function)["Events"].as_object();
        let mut sources = sources.unwrap().values();
        let value = sources.find_map(|source| {
            let source = &source["Properties"];
            let scaling = source["ScalingConfig"].get(setting);
            scaling.or_else(|| source.get(setting))
        });
        self.number(value.unwrap())
    }

    /// The part of a processor that an instance has.
    fn processor(&self, function: &str) -> f64 {
        let own = self
            .properties(function)
            .get("MemorySize");
        let memory = own.unwrap_or(&self.0["Globals"]["Function"]["MemorySize"]);
        (self.number(memory) / PROCESSOR).min(1.0)
    }
}

pub fn parts(measured: &Measured) -> Vec<Part> {
    let template = Template::deployed();
    let requests = requests();
    let rate: f64 = requests.values().sum();
    let stage = template.number(&Value::from("RequestsPerSecond"));
    let of_stage = format!("gateway: `RequestsPerSecond`, {stage} by default");
    let granted = thousands(GATEWAY);
    let of_account = format!("gateway: {granted} requests a second of an account");
    let mut parts = vec![
        part(of_stage, rate / stage),
        part(of_account, rate / GATEWAY),
    ];
    let mut instances = 0.0;
    for (function, rate) in requests {
        let seconds = cpu(function) / template.processor(function) + WAIT;
        instances += rate * seconds;
        parts.push(part(
            format!(
                "`{function}`: {} instances of an account",
                thousands(INSTANCES)
            ),
            rate * seconds / INSTANCES,
        ));
    }
    for (function, changes) in [
        ("publisher", a_second_of(measured, |work| work.published)),
        ("indexer", a_second_of(measured, |work| work.indexed)),
    ] {
        let parallel = template.source(function, "ParallelizationFactor");
        let seconds = cpu(function) / template.processor(function);
        let shard = parallel / seconds;
        instances += changes * seconds;
        let name = format!("`{function}`: {SHARDS} shards of {shard:.0} changes a second");
        parts.push(part(name, changes / (SHARDS * shard)));
    }
    let deliveries = a_second_of(measured, |work| work.deliveries);
    for (function, messages) in [
        ("action-worker", a_second(ACTION)),
        ("webhook-sender", deliveries),
        ("mailer", a_second_of(measured, |work| work.mails)),
    ] {
        let most = template.source(function, "MaximumConcurrency");
        let at_once = template.source(function, "BatchSize");
        let mut seconds = SECONDS
            .iter()
            .filter(|(name, _)| *name == function);
        let each = seconds.next().unwrap().1 / at_once;
        instances += messages * each;
        let name = format!("queue of `{function}`: {most} instances, {at_once} messages at a time");
        parts.push(part(name, messages * each / most));
    }
    let most = template.source("sweeper", "MaximumConcurrency");
    let due = due(measured) * cpu("sweeper");
    instances += due;
    let name = format!("queue of `sweeper`: {most} instances");
    parts.push(part(name, due / most));
    let granted = thousands(INSTANCES);
    let name = format!("all functions: {granted} instances of an account");
    parts.push(part(name, instances / INSTANCES));
    parts
}

const fn part(name: String, used: f64) -> Part {
    Part { name, used }
}

/// Requests of an average organization in the busiest second, by function.
fn requests() -> BTreeMap<&'static str, f64> {
    let mut requests = BTreeMap::new();
    for operation in operations() {
        *requests
            .entry(operation.function)
            .or_default() += a_second(&operation.name());
    }
    *requests
        .entry("resolution-agent")
        .or_default() += REQUESTS_OF_ACTION * a_second(ACTION);
    requests
}

fn a_second_of(measured: &Measured, of: fn(&Work) -> f64) -> f64 {
    let work = measured.work.iter();
    let times = work.map(|(operation, work)| a_second(operation) * of(work));
    times.sum()
}

/// Due items of an average organization in the busiest second: each is an entry that comes and
/// goes.
fn due(measured: &Measured) -> f64 {
    let is_due =
        |pattern: &Pattern| pattern.index.is_some() && pattern.partition.starts_with("DUE#");
    let rows = measured.tally.patterns.iter();
    let rows = rows.filter(|(pattern, _)| is_due(pattern));
    let loads = rows.flat_map(|(_, row)| &row.loads);
    let writes = loads.map(|(operation, load)| a_second(operation) * load.all.writes);
    writes.sum::<f64>() / 2.0
}

/// Seconds of a processor for a request, a change or a due item.
fn cpu(function: &str) -> f64 {
    let mut matching = CPU
        .iter()
        .filter(|(name, _)| *name == function);
    matching.next().unwrap().1 / 1_000.0
}
