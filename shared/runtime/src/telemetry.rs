//! One JSON line per request, and the service's own metrics.
//!
//! A request's line says how it went and what it used, and names caller and organization by id;
//! nothing of a body, cookie or secret is ever in it. The address of a client is in the line of a
//! sign-in that was refused, and in no other. A metric is a line too, in CloudWatch's embedded metric
//! format, with the stack as a dimension, and none that grows with users or tenants.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    io::Write,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use http::{HeaderMap, Method, StatusCode};
use model::{Error, Id, OrganizationId, Stopwatch, Timestamp, UserId};
use serde_json::{Value, json};
use store::Used;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::Environment;

/// Where the metrics are found.
const NAMESPACE: &str = "Workdesk";

/// The name of this function, which its lines carry.
static FUNCTION: OnceLock<&'static str> = OnceLock::new();

/// The stack that this function is of, whose metrics are its own.
static STACK: OnceLock<String> = OnceLock::new();

/// The stack of a function that is told none.
const NO_STACK: &str = "local";

/// Whether this process has answered before.
static WARM: AtomicBool = AtomicBool::new(false);

tokio::task_local! {
    /// Who calls, once that is known.
    static CALLER: Cell<Option<(UserId, OrganizationId)>>;
    /// Where somebody who signs in is.
    static ADDRESS: RefCell<Option<String>>;
}

/// What there is to say of a request that was answered.
#[derive(Debug)]
pub struct Record {
    caller: Option<(UserId, OrganizationId)>,
    address: Option<String>,
    used: Used,
    trace: Option<String>,
    cold_start: bool,
    millis: u128,
}

/// The service's own metrics; each value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// An action ended: `succeeded`, `failed`, `unknown` or `skipped`.
    Action(&'static str),
    /// So many approved actions should have got further when the sweeper looked.
    Overdue(usize),
    /// Somebody gave a wrong username or password.
    SignInFailure,
    /// A process of this function answered for the first time.
    ColdStart,
    /// So many records did not read, of those that a request or a run came upon.
    Unreadable(usize),
}

/// Lines as JSON on standard output, at `RUST_LOG`'s level or `info`. Once per process; `function`
/// is the name that the lines carry. `STACK_NAME` is the stack that the metrics are of.
pub fn init(function: &'static str) {
    let _ = FUNCTION.set(function);
    let environment = Environment::process();
    let stack = environment.optional("STACK_NAME").unwrap_or(NO_STACK);
    let _ = STACK.set(stack.to_owned());
    let level = environment.optional("RUST_LOG").unwrap_or_default();
    // A second call, as tests make it, changes nothing.
    let _ = tracing::subscriber::set_global_default(lines(level, std::io::stdout));
}

/// Writes lines as JSON, from a level on, or `info`.
pub fn lines<W>(level: &str, writer: W) -> impl tracing::Subscriber
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::INFO.into())
        .parse_lossy(level);
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter)
        .with_writer(writer)
        .finish()
}

/// Runs a request and answers with what it used. `trace` is where the request came from, if that
/// is known.
pub async fn observe<F: Future>(trace: Option<String>, request: F) -> (F::Output, Record) {
    let cold_start = !WARM.swap(true, Ordering::Relaxed);
    let start = Stopwatch::start();
    let request = CALLER.scope(Cell::default(), async {
        let output = request.await;
        (output, CALLER.with(Cell::get))
    });
    let request = ADDRESS.scope(RefCell::default(), async {
        let output = request.await;
        (output, ADDRESS.with(RefCell::take))
    });
    let (((output, caller), address), used) = store::metered(request).await;
    let record = Record {
        caller,
        address,
        used,
        trace,
        cold_start,
        millis: start.elapsed().as_millis(),
    };
    (output, record)
}

/// The id by which the gateway and every function after it log a request: the root of AWS X-Ray's
/// trace header.
#[must_use]
pub fn trace_of(headers: &HeaderMap) -> Option<String> {
    let header = headers.get("x-amzn-trace-id")?.to_str().ok()?;
    let root = header
        .split(';')
        .find_map(|part| part.trim().strip_prefix("Root="))?;
    // It is logged and sent on, so it is held to its form.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (root.len() <= 64 && root.bytes().all(plain)).then(|| root.to_owned())
}

/// Notes who called.
pub fn caller(user: UserId, organization: OrganizationId) {
    // Outside of a request, as in the queue's worker, there is nothing to note it in.
    let _ = CALLER.try_with(|caller| caller.set(Some((user, organization))));
}

/// Notes where somebody is who signs in. The request's line has it if they are refused.
pub fn signs_in_from(address: &str) {
    let _ = ADDRESS.try_with(|noted| noted.replace(Some(address.to_owned())));
}

/// Tells of something that went wrong and did no harm.
pub fn warn(what: &str, error: &Error) {
    tracing::warn!(cause = error.chain(), "{what}");
}

/// Tells of records that did not read, of which lists are answered without: one line with the keys of
/// the first of them, and how many there are. `request` is where they were come upon, if in one.
pub fn unreadable(records: &BTreeSet<String>, request: Option<&str>, now: Timestamp) {
    /// Keys of a line.
    const NAMED: usize = 10;

    if records.is_empty() {
        return;
    }
    let named: Vec<&str> = records.iter().take(NAMED).map(String::as_str).collect();
    tracing::error!(
        function = FUNCTION.get().copied(),
        requestId = request,
        records = named.join(", "),
        count = records.len(),
        "records that do not read"
    );
    count(Metric::Unreadable(records.len()), now);
}

/// Counts a metric.
pub fn count(metric: Metric, now: Timestamp) {
    let function = FUNCTION.get().copied().unwrap_or_default();
    let stack = STACK.get().map_or(NO_STACK, String::as_str);
    let mut line = embedded_metric(metric, stack, function, now).to_string();
    line.push('\n');
    // Without an output there is nobody to tell.
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}

/// The line of a metric of a stack's function in CloudWatch's embedded metric format.
#[must_use]
pub fn embedded_metric(metric: Metric, stack: &str, function: &str, now: Timestamp) -> Value {
    let (name, value, dimension) = match metric {
        Metric::Action(outcome) => ("Actions", 1, Some(("Outcome", outcome))),
        Metric::Overdue(count) => ("OverdueActions", count, None),
        Metric::SignInFailure => ("SignInFailures", 1, None),
        Metric::ColdStart => ("ColdStarts", 1, Some(("Function", function))),
        Metric::Unreadable(count) => ("UnreadableRecords", count, None),
    };
    // Staging must not stand in for production.
    let dimensions = std::iter::once(("Stack", stack)).chain(dimension);
    let names: Vec<&str> = dimensions.clone().map(|(name, _)| name).collect();
    let mut line = json!({
        "_aws": {
            "Timestamp": now.millis(),
            "CloudWatchMetrics": [{
                "Namespace": NAMESPACE,
                "Dimensions": [names],
                "Metrics": [{"Name": name, "Unit": "Count"}],
            }],
        },
    });
    line[name] = json!(value);
    for (name, value) in dimensions {
        line[name] = json!(value);
    }
    line
}

impl Record {
    /// Whether the process answered for the first time.
    #[must_use]
    pub const fn is_cold_start(&self) -> bool {
        self.cold_start
    }

    /// The keys of records that did not read.
    #[must_use]
    pub const fn unreadable(&self) -> &BTreeSet<String> {
        &self.used.unreadable
    }

    /// Writes the line: an error with its cause for a 5xx, information otherwise.
    pub fn log(
        &self,
        request_id: &str,
        method: &Method,
        route: &str,
        status: StatusCode,
        cause: Option<&str>,
    ) {
        let address = self.address.as_deref();
        let address = address.filter(|_| status.is_client_error());
        macro_rules! line {
            ($level:ident, $cause:expr) => {
                tracing::$level!(
                    function = FUNCTION.get().copied(),
                    requestId = request_id,
                    traceId = self.trace.as_deref(),
                    method = %method,
                    route,
                    status = status.as_u16(),
                    durationMs = u64::try_from(self.millis).unwrap_or(u64::MAX),
                    userId = self.caller.map(|(user, _)| user.get()),
                    organizationId = self.caller.map(|(_, organization)| organization.get()),
                    address,
                    tableRequests = self.used.requests,
                    tableUnits = self.used.units,
                    coldStart = self.cold_start,
                    cause = $cause,
                )
            };
        }
        if status.is_server_error() {
            // Long enough to tell causes apart, short enough to keep the line under 600 bytes.
            let cause = cause.map(|cause| cause.chars().take(160).collect::<String>());
            line!(error, cause);
        } else {
            line!(info, None::<&str>);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_metric_is_a_line_that_cloudwatch_reads() {
        let line = embedded_metric(
            Metric::Action("unknown"),
            "production",
            "worker",
            Timestamp::from_millis(7),
        );
        assert_eq!(
            line,
            json!({
                "_aws": {
                    "Timestamp": 7,
                    "CloudWatchMetrics": [{
                        "Namespace": "Workdesk",
                        "Dimensions": [["Stack", "Outcome"]],
                        "Metrics": [{"Name": "Actions", "Unit": "Count"}],
                    }],
                },
                "Stack": "production",
                "Outcome": "unknown",
                "Actions": 1,
            })
        );
        let now = Timestamp::from_millis(7);
        let line = embedded_metric(Metric::Overdue(3), "staging", "sweeper", now);
        assert_eq!(
            (&line["OverdueActions"], &line["Stack"]),
            (&json!(3), &json!("staging"))
        );
        assert_eq!(
            line["_aws"]["CloudWatchMetrics"][0]["Dimensions"],
            json!([["Stack"]])
        );
    }

    #[test]
    fn records_that_do_not_read_are_told_of_in_one_line_by_their_keys() {
        static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
        struct Lines;
        impl Write for Lines {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                LINES.lock().unwrap().write(bytes)
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let subscriber = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .with_writer(|| Lines)
            .finish();
        let keys = |count| {
            (10..10 + count)
                .map(|id| format!("ORG#1#TASK {id}"))
                .collect()
        };
        let now = Timestamp::from_millis(7);
        tracing::subscriber::with_default(subscriber, || {
            unreadable(&keys(0), Some("request"), now);
            unreadable(&keys(2), Some("request"), now);
            unreadable(&keys(12), None, now);
        });
        let lines = String::from_utf8(LINES.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!(lines[0]["level"], "ERROR");
        assert_eq!(lines[0]["records"], "ORG#1#TASK 10, ORG#1#TASK 11");
        assert_eq!(
            (&lines[0]["requestId"], &lines[0]["count"]),
            (&json!("request"), &json!(2))
        );
        let named = lines[1]["records"].as_str().unwrap().split(", ").count();
        assert_eq!((named, &lines[1]["count"]), (10, &json!(12)));
        let metric = embedded_metric(Metric::Unreadable(2), "staging", "tasks", now);
        assert_eq!(metric["UnreadableRecords"], 2);
    }

    #[test]
    fn a_trace_is_the_root_of_its_header() {
        let trace = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-amzn-trace-id", text.parse().unwrap());
            trace_of(&headers)
        };
        let root = "1-69690000-0123456789abcdef01234567";
        assert_eq!(trace(&format!("Root={root}")).unwrap(), root);
        assert_eq!(
            trace(&format!("Self=1-2-3; Root={root};Sampled=1")).unwrap(),
            root
        );
        assert_eq!(trace("Root=\"},{"), None);
        assert_eq!(trace("Sampled=1"), None);
    }
}
