//! Faults, each played for ten minutes at 1 and at 100 requests a second: its alarms ring, and no
//! others.
//!
//! The alarms are the template's, by an evaluator of CloudWatch's rules. The functions' own metrics
//! are lines as the code writes them. Before each fault lie six healthy hours.

mod bill;
mod cloudwatch;
mod math;

use std::collections::BTreeSet;

use serde_json::json;
use shared::telemetry::Metric;
use tests::{FUNCTIONS, Function, support::roles};

use self::cloudwatch::{Alarms, Metrics};
use super::{
    generated::{alarms, template::upper_camel},
    metrics::{Watched, written_by},
};

pub use self::bill::Bill;

/// Minutes before a fault.
const HEALTHY: usize = 360;

/// Minutes of a fault.
const FAULT: usize = 10;

/// A minute of the deployment, which a fault changes.
struct Minute<'a> {
    metrics: &'a mut Metrics,
    at: usize,
    /// Minutes since the fault began.
    since: usize,
    /// Requests a minute of each function.
    requests: f64,
}

impl Minute<'_> {
    /// Writes a metric of AWS.
    fn aws(&mut self, metric: (&str, &str), dimension: (&str, &str), value: f64, times: f64) {
        let metric = Watched::new(&format!("AWS/{}", metric.0), metric.1, &[dimension]);
        self.metrics
            .write(self.at, metric, value, times);
    }

    fn lambda(&mut self, function: &Function, name: &str, value: f64, times: f64) {
        let logical = upper_camel(function.name);
        self.aws(("Lambda", name), ("FunctionName", &logical), value, times);
    }

    fn gateway(&mut self, name: &str, times: f64) {
        self.aws(("ApiGateway", name), ("ApiId", "Api"), 1.0, times);
    }

    fn queue(&mut self, queue: &str, name: &str, value: f64) {
        let queue = format!("{queue}.QueueName");
        self.aws(("SQS", name), ("QueueName", &queue), value, 1.0);
    }

    /// Writes a metric of the code so many times.
    fn own(&mut self, metric: Metric, function: &str, times: f64) {
        let (metric, value) = written_by(metric, function);
        self.metrics
            .write(self.at, metric, value, times);
    }

    /// A metric of the code that its function does not write in this minute.
    fn lacks(&mut self, metric: Metric) {
        self.metrics
            .forget(self.at, &written_by(metric, "").0);
    }

    fn runs(&mut self, function: &Function, millis: f64) {
        self.lambda(function, "Invocations", 1.0, self.requests);
        self.lambda(function, "Errors", 0.0, self.requests);
        self.lambda(function, "Throttles", 0.0, self.requests);
        self.lambda(function, "Duration", millis, self.requests);
    }

    /// All requests of a function take longer than they may.
    fn is_slow(&mut self, function: &Function) {
        let latency = Watched::new("AWS/ApiGateway", "Latency", &[("ApiId", "Api")]);
        self.metrics.forget(self.at, &latency);
        self.latencies(Some(function));
    }

    /// The times of all requests at the gateway.
    fn latencies(&mut self, slow: Option<&Function>) {
        for function in FUNCTIONS
            .iter()
            .filter(|function| function.api().is_some())
        {
            let is_slow = slow.is_some_and(|slow| slow.name == function.name);
            let part = if is_slow { 2.0 } else { 0.1 };
            let millis = f64::from(function.ends_within) * part;
            self.aws(
                ("ApiGateway", "Latency"),
                ("ApiId", "Api"),
                millis,
                self.requests,
            );
        }
    }

    /// Every function, queue and count as it is.
    fn healthy(&mut self) {
        for function in FUNCTIONS {
            self.runs(function, f64::from(function.ends_within) / 10.0);
            if function.api().is_some() {
                self.gateway("Count", self.requests);
                // One of a hundred requests names a record that is not there.
                self.gateway("4xx", self.requests / 100.0);
                self.own(Metric::Refusal, function.name, self.requests / 100.0);
            }
        }
        self.latencies(None);
        for queue in ["Action", "Webhook", "Sweep", "Change"] {
            self.queue(&format!("{queue}Queue"), AGE, 1.0);
            self.queue(&format!("{queue}DeadLetterQueue"), VISIBLE, 0.0);
        }
        for consumer in ["Publisher", "Indexer"] {
            let dimension = ("FunctionName", consumer);
            self.aws(("Lambda", "IteratorAge"), dimension, 200.0, self.requests);
        }
        self.own(Metric::Overdue(0), "", 1.0);
        self.own(Metric::Action("succeeded"), "", self.requests);
        self.own(Metric::Delivery("delivered"), "", self.requests);
        self.own(Metric::Mail("sent"), "", self.requests);
        self.own(Metric::CheckFailure(0), "", 1.0);
    }

    /// The longest overdue work was due when the fault began.
    fn is_late(&mut self) {
        let seconds = 60 * self.since;
        self.own(Metric::LatestWork(seconds), "", 1.0);
    }

    fn since(&self) -> f64 {
        f64::from(u32::try_from(self.since).unwrap())
    }
}

const AGE: &str = "ApproximateAgeOfOldestMessage";
const VISIBLE: &str = "ApproximateNumberOfMessagesVisible";

/// A fault: how it shows in each minute, and the alarms that it rings.
struct Fault {
    name: String,
    rings: BTreeSet<String>,
    minutes: usize,
    shows: Box<dyn Fn(&mut Minute<'_>)>,
}

fn fault(name: &str, rings: &[&str], shows: impl Fn(&mut Minute<'_>) + 'static) -> Fault {
    Fault {
        name: name.to_owned(),
        rings: rings
            .iter()
            .map(ToString::to_string)
            .collect(),
        minutes: FAULT,
        shows: Box::new(shows),
    }
}

impl Fault {
    fn lasting(self, minutes: usize) -> Self {
        Self { minutes, ..self }
    }
}

/// Alarms of a function whose requests are few among all.
fn outage_of(function: &Function) -> Option<&'static str> {
    match function.name {
        "auth" => Some("SignInOutage"),
        "resolution-agent" => Some("AgentOutage"),
        _ => None,
    }
}

/// Returns the faults of a function that has endpoints. Each function gets the same number of
/// requests.
fn of_endpoints(function: &'static Function) -> Vec<Fault> {
    let name = |symptom: &str| format!("{} {symptom}", function.name);
    let burns = ["ApiFastBurn"];
    let outage: Vec<&str> = burns
        .into_iter()
        .chain(outage_of(function))
        .collect();
    let mut faults = vec![
        fault(&name("answers 503"), &outage, |minute| {
            minute.own(Metric::Failure, function.name, minute.requests);
            minute.gateway("5xx", minute.requests);
        }),
        fault(&name("crashes"), &outage, |minute| {
            minute.lambda(function, "Errors", 1.0, minute.requests);
            minute.gateway("5xx", minute.requests);
        }),
        fault(&name("has no concurrency"), &burns, |minute| {
            minute.lambda(function, "Throttles", 1.0, minute.requests);
            minute.gateway("5xx", minute.requests);
        }),
    ];
    // The agent's calls are slow in healthy hours, too.
    if function.ends_within <= SLOWEST {
        let slow = fault(&name("is slow"), &["ApiLatency"], |minute| {
            minute.is_slow(function);
        });
        faults.push(slow);
    }
    faults
}

/// Milliseconds of the slowest function without calls of target systems.
const SLOWEST: u32 = 4_000;

fn of_background(function: &'static Function) -> Vec<Fault> {
    let crashes = fault(
        &format!("{} crashes at times", function.name),
        &["BackgroundFailures"],
        |minute| {
            minute.lambda(function, "Errors", 1.0, minute.requests / 8.0);
        },
    );
    vec![crashes]
}

/// The oldest message of a queue has waited since the fault began.
fn waits(minute: &mut Minute<'_>, queue: &str) {
    minute.queue(queue, AGE, 60.0 * minute.since());
}

/// Faults of the work behind the endpoints.
fn of_work() -> Vec<Fault> {
    let overdue = |minute: &mut Minute<'_>| {
        // The sweeper sends a second message after two minutes.
        if minute.since >= 2 {
            minute.own(Metric::Overdue(3), "", 1.0);
            minute.is_late();
        }
    };
    let late = ["LateWork", "OverdueActions"];
    let mut faults = vec![
        fault("no worker runs", &late, move |minute| {
            waits(minute, "ActionQueue");
            minute.lacks(Metric::Action("succeeded"));
            overdue(minute);
        }),
        fault("messages of actions vanish", &late, overdue),
        fault("the sweeper does not run", &["OverdueActions"], |minute| {
            minute.lacks(Metric::Overdue(0));
        }),
        fault("webhook messages wait", &["OldDeliveries"], |minute| {
            waits(minute, "WebhookQueue");
        })
        .lasting(30),
        fault("mail messages wait", &["OldMails"], |minute| {
            waits(minute, "MailQueue");
        })
        .lasting(30),
        fault("an outcome is unknown", &["UnknownOutcomes"], |minute| {
            minute.own(Metric::Action("unknown"), "", f64::from(minute.since == 1));
        }),
        fault(
            "every second call is refused",
            &["FailedActions"],
            |minute| {
                minute.own(Metric::Action("failed"), "", minute.requests);
            },
        ),
        fault("a target system is down", &["OpenBreakers"], |minute| {
            // After 30 seconds, 1, 2 and 4 minutes, and so on.
            let opens = [1, 2, 4, 8].contains(&minute.since);
            minute.own(Metric::BreakerOpened, "", f64::from(opens));
            minute.lacks(Metric::Action("succeeded"));
        }),
        fault("receivers are down", &["FailedDeliveries"], |minute| {
            minute.own(Metric::Delivery("failed"), "", minute.requests * 2.0);
        }),
        fault("the mail server refuses", &["FailedMails"], |minute| {
            minute.lacks(Metric::Mail("sent"));
            minute.own(Metric::Mail("failed"), "", minute.requests);
        })
        .lasting(60),
        fault("work of any kind is late", &["LateWork"], |minute| {
            minute.is_late();
        }),
    ];
    for (queue, alarm) in [
        ("Action", "DeadLetters"),
        ("Webhook", "WebhookDeadLetters"),
        ("Mail", "MailDeadLetters"),
        ("Change", "LostChanges"),
    ] {
        let name = format!("{queue} has a dead letter");
        faults.push(fault(&name, &[alarm], move |minute| {
            minute.queue(&format!("{queue}DeadLetterQueue"), VISIBLE, 1.0);
        }));
    }
    for consumer in ["Publisher", "Indexer"] {
        let name = format!("{consumer} is behind");
        faults.push(fault(&name, &["OldChanges"], move |minute| {
            let age = ("Lambda", "IteratorAge");
            let of = ("FunctionName", consumer);
            minute.aws(age, of, 60_000.0 * minute.since(), 1.0);
        }));
    }
    faults
}

/// Faults of the table, of clients and of the gateway.
fn of_surroundings() -> Vec<Fault> {
    vec![
        fault(
            "one of a hundred requests fails",
            &["ApiSlowBurn"],
            |minute| {
                // A tenth of those of one function of ten.
                minute.own(Metric::Failure, "tasks", minute.requests / 10.0);
                minute.gateway("5xx", minute.requests / 10.0);
            },
        )
        .lasting(HEALTHY),
        fault("the table throttles", &["TableThrottles"], |minute| {
            let throttled = ("DynamoDB", "WriteThrottleEvents");
            let times = minute.requests / 4.0;
            minute.aws(throttled, ("TableName", "Table"), 1.0, times);
        }),
        fault("a record does not read", &["UnreadableRecords"], |minute| {
            minute.own(Metric::Unreadable(1), "", minute.requests / 10.0);
        }),
        fault("passwords are guessed", &["SignInFailures"], |minute| {
            minute.own(Metric::SignInFailure, "auth", minute.requests);
            minute.own(Metric::Refusal, "auth", minute.requests);
            minute.gateway("Count", minute.requests);
            minute.gateway("4xx", minute.requests);
        }),
        fault("the gateway refuses", &["GatewayRefusals"], |minute| {
            minute.gateway("Count", minute.requests);
            minute.gateway("4xx", minute.requests);
        }),
        fault("the check fails", &["ScheduledCheck"], |minute| {
            minute.own(Metric::CheckFailure(1), "checker", 1.0);
        }),
        fault("the check does not run", &["ScheduledCheck"], |minute| {
            minute.lacks(Metric::CheckFailure(0));
        }),
    ]
}

fn faults() -> Vec<Fault> {
    let with_endpoints = FUNCTIONS
        .iter()
        .filter(|function| function.api().is_some());
    let mut faults: Vec<Fault> = with_endpoints
        .flat_map(of_endpoints)
        .collect();
    faults.extend(alarms::background().flat_map(of_background));
    faults.extend(of_work());
    faults.extend(of_surroundings());
    faults
}

/// Plays healthy hours, and then a fault. Returns the alarms of the fault, and those before it.
fn play(fault: &Fault, alarms: &Alarms, healthy: &Metrics, requests: f64) -> [BTreeSet<String>; 2] {
    let mut metrics = healthy.clone();
    let before = alarms.ringing(&metrics, HEALTHY);
    let mut rang = BTreeSet::new();
    for since in 1..=fault.minutes {
        let at = HEALTHY + since - 1;
        let mut minute = Minute {
            metrics: &mut metrics,
            at,
            since,
            requests,
        };
        minute.healthy();
        (fault.shows)(&mut minute);
        // The rest of a long fault changes nothing any more.
        if since <= FAULT || since == fault.minutes {
            rang.extend(alarms.ringing(&metrics, at + 1));
        }
    }
    [rang, before]
}

#[test]
fn each_fault_rings_its_alarms_and_no_others() {
    let alarms = Alarms::of(&roles::template());
    let faults = faults();
    let mut wrong = Vec::new();
    for requests in [60.0, 6_000.0] {
        let mut healthy = Metrics::default();
        for at in 0..HEALTHY {
            let mut minute = Minute {
                metrics: &mut healthy,
                at,
                since: 0,
                requests,
            };
            minute.healthy();
        }
        for fault in &faults {
            let [rang, before] = play(fault, &alarms, &healthy, requests);
            if rang != fault.rings || !before.is_empty() {
                let name = &fault.name;
                let expected = &fault.rings;
                wrong.push(format!(
                    "{name}, {requests} requests a minute: {rang:?} instead of {expected:?}; before: {before:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Each alarm has a fault, and two that leave it silent.
    for name in alarms.notifying() {
        let rings = faults.iter().map(|fault| &fault.rings);
        let rings = rings
            .filter(|rings| rings.contains(name))
            .count();
        assert!(rings > 0, "no fault rings {name}");
        assert!(faults.len() - rings >= 2, "{name} rings always");
    }
}

/// After a rollback that helps, the alarm of the API is silent within six minutes, though the hour
/// was bad.
#[test]
fn the_end_of_an_outage_shows_within_minutes() {
    let alarms = Alarms::of(&roles::template());
    let mut metrics = Metrics::default();
    let outage = HEALTHY..HEALTHY + 20;
    let mut rang = Vec::new();
    for at in 0..HEALTHY + 40 {
        let mut minute = Minute {
            metrics: &mut metrics,
            at,
            since: 0,
            requests: 600.0,
        };
        minute.healthy();
        if outage.contains(&at) {
            minute.gateway("5xx", 3_000.0);
        }
        if alarms
            .ringing(&metrics, at + 1)
            .contains("ApiFastBurn")
        {
            rang.push(at);
        }
    }
    let [first, .., last] = rang[..] else {
        panic!("{rang:?}");
    };
    assert!(first < outage.start + 3, "{first}");
    assert!(outage.end <= last + 1 && last < outage.end + 6, "{last}");
}

/// A planned pause stops sweeper and check.
#[test]
fn a_pause_rings_nothing() {
    let template = roles::template();
    for name in ["OverdueActions", "ScheduledCheck"] {
        let missing = &template["Resources"][name]["Properties"]["TreatMissingData"];
        assert_eq!(
            *missing,
            json!(["IsPaused", "notBreaching", "breaching"]),
            "{name}"
        );
    }
}

/// The operator's bill: an alarm costs for each metric that it reads, and a composite one by
/// itself.
#[test]
fn alarms_of_an_idle_stack_cost_less_than_six_dollars() {
    let template = roles::template();
    let bill = Bill::of(&template);
    assert!(bill.metrics <= 60, "{bill:?}");
    assert_eq!(bill.composites, 1, "{bill:?}");
    assert!(bill.dollars() < 6.0, "{bill:?}");
}

/// Each alarm tells the topic of its severity, when it rings and when it falls silent.
#[test]
fn alarms_that_wake_a_person_are_few() {
    let template = roles::template();
    let page = json!(["HasAlarmTopic", ["AlarmTopic"], "AWS::NoValue"]);
    let ticket = json!(["HasTicketTopic", ["TicketTopic"], page.clone()]);
    let kinds = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"];
    let alarms = kinds
        .map(|kind| roles::resources(&template, kind))
        .into_iter()
        .flatten();
    let mut pages = BTreeSet::new();
    for (name, alarm) in alarms {
        let actions = &alarm["AlarmActions"];
        assert_eq!(*actions, alarm["OKActions"], "{name}");
        if *actions == page {
            pages.insert(name);
        } else {
            assert!(actions.is_null() || *actions == ticket, "{name}: {actions}");
        }
    }
    let expected = [
        "ApiFastBurn",
        "GatewayRefusals",
        "OldChanges",
        "OverdueActions",
        "ScheduledCheck",
        "SignInOutage",
        "UnreadableRecords",
    ];
    assert_eq!(pages, expected.into());
}

/// The text of an alarm names a saved query, or two.
#[test]
fn each_alarm_names_the_query_that_shows_its_cause() {
    let names: BTreeSet<_> = alarms::query_names().collect();
    let mut used = BTreeSet::new();
    for (alarm, text) in Alarms::of(&roles::template()).texts() {
        let quoted = text.split('"').skip(1).step_by(2);
        let queries: Vec<_> = quoted
            .filter(|name| names.contains(name))
            .collect();
        assert!(!queries.is_empty(), "{alarm}: {text}");
        assert!(text.len() <= 1_024, "{alarm} is long");
        used.extend(queries.iter().map(ToString::to_string));
    }
    let names: BTreeSet<_> = names
        .into_iter()
        .map(ToOwned::to_owned)
        .collect();
    assert_eq!(used, names);
}
