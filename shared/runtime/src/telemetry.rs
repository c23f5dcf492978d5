//! One JSON line per request, and the service's own metrics.
//!
//! The line of a request has its result, the used read and write units of the table, and the ids of
//! caller and organization. It never contains parts of a body, a cookie or a secret. Only the line
//! of a refused sign-in or change of password has the client's address. A share of the successes is
//! logged; errors, refusals and slow requests always are. Metrics count all requests. A metric is a
//! line in CloudWatch's embedded metric format. The stack is a dimension of each; no dimension
//! grows with users or tenants.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use http::{HeaderMap, Method, StatusCode};
use model::base::{Error, Id, OrganizationId, Stopwatch, Timestamp, UserId};
use serde_json::{Value, json};
use table::Used;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::Environment;

/// Milliseconds from which a request is slow, and always logged.
const SLOW: u128 = 1_000;

tokio::task_local! {
    static FUNCTION: Arc<RunningFunction>;
    static NOTED: RefCell<Noted>;
}

/// Facts of a request that its work notes.
#[derive(Debug, Default)]
struct Noted {
    /// Caller and organization, once known.
    caller: Option<(UserId, OrganizationId)>,
    /// Client address of a sign-in or change of password.
    address: Option<String>,
}

/// A running function, as its lines and metrics name it.
#[derive(Debug)]
pub struct RunningFunction {
    name: &'static str,
    /// Stack, a dimension of its metrics.
    stack: String,
    /// The share of successes that is logged, from 0 to 1.
    success_share: f64,
    /// False if its metrics are not written.
    writes_metrics: bool,
    /// True once it has had a request.
    is_warm: AtomicBool,
}

/// The facts of an answered request for its log line.
#[derive(Debug)]
pub struct AnsweredRequest {
    noted: Noted,
    pub used: Used,
    traces: Traces,
    /// True for the first request of the function's instance.
    pub cold_start: bool,
    millis: u128,
}

/// The traces that a request is part of.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// The gateway's: see [`trace_of`].
    own: Option<String>,
    /// The client's: see [`trace_of_client`].
    of_client: Option<String>,
}

impl Traces {
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            own: trace_of(headers),
            of_client: trace_of_client(headers),
        }
    }
}

/// The service's own metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// An action ended: `succeeded`, `failed`, `unknown` or `skipped`.
    Action(&'static str),
    /// Approved actions that are overdue: until a worker claims them.
    Overdue(usize),
    /// Due items of a kind when the sweeper starts its runs.
    DueItems(&'static str, usize),
    /// Seconds since the longest overdue of them was due.
    DueAge(&'static str, usize),
    /// Seconds since the longest overdue item of any kind was due.
    LatestWork(usize),
    /// A sign-in or change of password with a wrong username or password.
    SignInFailure,
    /// The first request of an instance of this function.
    ColdStart,
    /// Records that a request or a run could not read.
    Unreadable(usize),
    /// A request that this function answered with 5xx.
    Failure,
    /// A request that a function answered with 4xx. The gateway's own refusals are not among them.
    Refusal,
    /// An attempt of a webhook delivery ended: `delivered` or `failed`.
    Delivery(&'static str),
    /// An attempt to send a mail ended: `sent` or `failed`.
    Mail(&'static str),
    /// The circuit breaker of a connection opened, also after a probe.
    BreakerOpened,
    /// A scheduled check: 0 if it passed, 1 if it failed.
    CheckFailure(usize),
}

impl RunningFunction {
    /// Returns a function with the metrics of the stack `STACK_NAME`; `local` without it.
    /// `SUCCESS_LOG_SHARE` is the share of successes that is logged: all, unless it is a number
    /// from 0 to 1. With `METRIC_LINES=off`, no metric is written.
    pub fn new(name: &'static str, environment: &Environment) -> Arc<Self> {
        let stack = environment
            .optional("STACK_NAME")
            .unwrap_or("local");
        Arc::new(Self {
            name,
            stack: stack.to_owned(),
            success_share: share(environment.optional("SUCCESS_LOG_SHARE")),
            writes_metrics: environment.optional("METRIC_LINES") != Some("off"),
            is_warm: AtomicBool::new(false),
        })
    }

    /// Runs work of the function, whose lines and metrics are the function's.
    pub fn run<F: Future>(self: Arc<Self>, work: F) -> impl Future<Output = F::Output> {
        FUNCTION.scope(self, work)
    }
}

/// Runs the function of this process, with JSON lines on standard output from the level `RUST_LOG`
/// (`info` by default) on.
pub async fn run<F: Future>(function: &'static str, work: F) -> F::Output {
    let environment = Environment::process();
    let level = environment
        .optional("RUST_LOG")
        .unwrap_or_default();
    // The first call of a process decides.
    let _ = tracing::subscriber::set_global_default(lines(level, false, std::io::stdout));
    RunningFunction::new(function, &environment)
        .run(work)
        .await
}

/// Returns the name of the running function; none in another process, such as a test.
fn function() -> Option<&'static str> {
    FUNCTION
        .try_with(|function| function.name)
        .ok()
}

/// Returns a subscriber that writes JSON lines from a level on; `info` if `level` is empty.
/// `has_span` adds the span of a line.
pub fn lines<W>(level: &str, has_span: bool, writer: W) -> impl tracing::Subscriber
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::INFO.into())
        .parse_lossy(level);
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(has_span)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter)
        .with_writer(writer)
        .finish()
}

fn share(setting: Option<&str>) -> f64 {
    let share = setting.and_then(|text| text.parse().ok());
    let valid = share.filter(|share| (0.0..=1.0).contains(share));
    valid.unwrap_or(1.0)
}

/// Returns the share of requests like this one that is logged, if this one is among them. The id of
/// the request decides, so that it is logged everywhere or nowhere.
fn logged_share(of_successes: f64, id: &str, status: StatusCode, millis: u128) -> Option<f64> {
    let is_success = !status.is_client_error() && !status.is_server_error();
    if is_success && millis < SLOW {
        (place(id) < of_successes).then_some(of_successes)
    } else {
        Some(1.0)
    }
}

/// Returns a number from 0 to 1, without 1, that follows from an id alone. Ids are spread evenly.
fn place(id: &str) -> f64 {
    const PLACES: u32 = 1_000_000;
    // FNV-1a.
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    f64::from(u32::try_from(hash % u64::from(PLACES)).unwrap_or_default()) / f64::from(PLACES)
}

/// Runs a request. Returns its output and its record.
pub async fn observe<F: Future>(traces: Traces, request: F) -> (F::Output, AnsweredRequest) {
    let is_first = |function: &Arc<RunningFunction>| {
        !function
            .is_warm
            .swap(true, Ordering::Relaxed)
    };
    let cold_start = FUNCTION
        .try_with(is_first)
        .unwrap_or_default();
    let start = Stopwatch::start();
    let request = NOTED.scope(RefCell::default(), async {
        (request.await, NOTED.with(RefCell::take))
    });
    let ((output, noted), used) = table::metered(request).await;
    let record = AnsweredRequest {
        noted,
        used,
        traces,
        cold_start,
        millis: start.elapsed().as_millis(),
    };
    (output, record)
}

/// Returns the trace id under which the gateway and all functions log a request: the root in AWS
/// X-Ray's trace header. None if the header is absent or malformed.
pub fn trace_of(headers: &HeaderMap) -> Option<String> {
    let header = headers
        .get("x-amzn-trace-id")?
        .to_str()
        .ok()?;
    let mut parts = header.split(';');
    let root = parts.find_map(|part| part.trim().strip_prefix("Root="))?;
    // A client can send any text, and the id is logged and passed on.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (root.len() <= 64 && root.bytes().all(plain)).then(|| root.to_owned())
}

/// Returns the id of a client's trace: that of `traceparent` (W3C Trace Context). None if the
/// header is absent or malformed.
fn trace_of_client(headers: &HeaderMap) -> Option<String> {
    let header = headers
        .get("traceparent")?
        .to_str()
        .ok()?;
    let mut parts = header.split('-');
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let mut next = |length| {
        let part = parts.next()?;
        (part.len() == length && part.bytes().all(is_hex)).then_some(part)
    };
    let (version, trace, parent, _flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
    // Later versions may have more parts.
    let is_known = version != "ff" && (version != "00" || parts.next().is_none());
    let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
    (is_known && !is_zero(trace) && !is_zero(parent)).then(|| trace.to_owned())
}

pub fn caller(user: UserId, organization: OrganizationId) {
    // Does nothing outside of a request, such as in the queue's worker.
    let _ = NOTED.try_with(|noted| noted.borrow_mut().caller = Some((user, organization)));
}

/// Records the client address of a sign-in. The request's line has it if the answer is 4xx.
pub fn signs_in_from(address: &str) {
    let _ = NOTED.try_with(|noted| noted.borrow_mut().address = Some(address.to_owned()));
}

/// Logs a harmless error as a warning.
pub fn warn(message: &str, error: &Error) {
    tracing::warn!(cause = error.chain(), "{message}");
}

/// Waits for work, and logs the records that it could not read.
pub async fn metered<T>(work: impl Future<Output = T>, now: Timestamp) -> T {
    let (done, used) = table::metered(work).await;
    unreadable(&used.unreadable, None, now);
    done
}

/// Logs and counts records that cannot be read and are missing in answers. One line has their
/// number and the keys of the first ten. `request` is the id of the request that met them, if any.
pub fn unreadable(records: &BTreeSet<String>, request: Option<&str>, now: Timestamp) {
    /// Keys of a line.
    const NAMED: usize = 10;

    if records.is_empty() {
        return;
    }
    let named: Vec<&str> = records
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect();
    tracing::error!(
        function = function(),
        requestId = request,
        records = named.join(", "),
        count = records.len(),
        "records could not be read"
    );
    count(Metric::Unreadable(records.len()), now);
}

/// Counts a metric of this function. A process that is none, such as a test, counts nothing.
pub fn count(metric: Metric, now: Timestamp) {
    let line = |function: &Arc<RunningFunction>| {
        let line = || embedded_metric(metric, &function.stack, function.name, now).to_string();
        function.writes_metrics.then(line)
    };
    let Ok(Some(mut line)) = FUNCTION.try_with(line) else {
        return;
    };
    line.push('\n');
    // A failure to write cannot be reported anywhere.
    let _ = std::io::stdout()
        .lock()
        .write_all(line.as_bytes());
}

/// Returns the line of a metric in CloudWatch's embedded metric format.
pub fn embedded_metric(metric: Metric, stack: &str, function: &str, now: Timestamp) -> Value {
    let (name, value, dimension) = match metric {
        Metric::Action(outcome) => ("Actions", 1, Some(("Outcome", outcome))),
        Metric::Overdue(count) => ("OverdueActions", count, None),
        Metric::DueItems(kind, count) => ("DueItems", count, Some(("Kind", kind))),
        Metric::DueAge(kind, seconds) => ("DueAge", seconds, Some(("Kind", kind))),
        Metric::LatestWork(seconds) => ("LatestWork", seconds, None),
        Metric::SignInFailure => ("SignInFailures", 1, None),
        Metric::ColdStart => ("ColdStarts", 1, Some(("Function", function))),
        Metric::Unreadable(count) => ("UnreadableRecords", count, None),
        Metric::Failure => ("Failures", 1, Some(("Function", function))),
        Metric::Refusal => ("Refusals", 1, None),
        Metric::Delivery(outcome) => ("Deliveries", 1, Some(("Outcome", outcome))),
        Metric::Mail(outcome) => ("Mails", 1, Some(("Outcome", outcome))),
        Metric::BreakerOpened => ("BreakersOpened", 1, None),
        Metric::CheckFailure(count) => ("CheckFailures", count, None),
    };
    let unit = match metric {
        Metric::DueAge(..) | Metric::LatestWork(_) => "Seconds",
        _ => "Count",
    };
    // Without the stack, the metrics of staging and production would be one.
    let dimensions = std::iter::once(("Stack", stack)).chain(dimension);
    let names: Vec<&str> = dimensions
        .clone()
        .map(|(name, _)| name)
        .collect();
    let mut line = json!({
        "_aws": {
            "Timestamp": now.millis(),
            "CloudWatchMetrics": [{
                "Namespace": "Workdesk",
                "Dimensions": [names],
                "Metrics": [{"Name": name, "Unit": unit}],
            }],
        },
    });
    line[name] = json!(value);
    for (name, value) in dimensions {
        line[name] = json!(value);
    }
    line
}

impl AnsweredRequest {
    /// Writes the line: at level error with the cause for a 5xx, at level info otherwise. Of
    /// successes, writes a share.
    pub fn log(
        &self,
        request_id: &str,
        method: &Method,
        route: &str,
        status: StatusCode,
        cause: Option<&str>,
    ) {
        let of_successes = FUNCTION.try_with(|function| function.success_share);
        let of_successes = of_successes.unwrap_or(1.0);
        let Some(share) = logged_share(of_successes, request_id, status, self.millis) else {
            return;
        };
        let Noted { caller, address } = &self.noted;
        let address = address
            .as_deref()
            .filter(|_| status.is_client_error());
        macro_rules! line {
            ($level:ident, $cause:expr) => {
                tracing::$level!(
                    function = function(),
                    requestId = request_id,
                    traceId = self.traces.own.as_deref(),
                    clientTraceId = self.traces.of_client.as_deref(),
                    method = %method,
                    route,
                    status = status.as_u16(),
                    durationMs = u64::try_from(self.millis).unwrap_or(u64::MAX),
                    userId = caller.map(|(user, _)| user.get()),
                    organizationId = caller.map(|(_, organization)| organization.get()),
                    address,
                    tableRequests = self.used.requests,
                    readUnits = self.used.read_units,
                    writeUnits = self.used.write_units,
                    writeId = self.used.write_id.as_deref(),
                    coldStart = self.cold_start,
                    logShare = share,
                    cause = $cause,
                )
            };
        }
        if status.is_server_error() {
            // Long enough to tell causes apart, short enough to keep the line under 600 bytes.
            let cause = cause.map(|cause| {
                cause
                    .chars()
                    .take(160)
                    .collect::<String>()
            });
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
        let lines = |dimensions: &[&str], name: &str, unit: &str, value: usize| {
            json!({
                "_aws": {
                    "Timestamp": 7,
                    "CloudWatchMetrics": [{
                        "Namespace": "Workdesk",
                        "Dimensions": [dimensions],
                        "Metrics": [{"Name": name, "Unit": unit}],
                    }],
                },
                "Stack": "staging",
                name: value,
            })
        };
        let mut action = lines(&["Stack", "Outcome"], "Actions", "Count", 1);
        action["Outcome"] = json!("unknown");
        let mut age = lines(&["Stack", "Kind"], "DueAge", "Seconds", 90);
        age["Kind"] = json!("cleanup");
        let overdue = lines(&["Stack"], "OverdueActions", "Count", 3);
        let unreadable = lines(&["Stack"], "UnreadableRecords", "Count", 2);
        for (metric, line) in [
            (Metric::Action("unknown"), action),
            (Metric::Overdue(3), overdue),
            (Metric::DueAge("cleanup", 90), age),
            (Metric::Unreadable(2), unreadable),
        ] {
            let now = Timestamp::from_millis(7);
            assert_eq!(embedded_metric(metric, "staging", "worker", now), line);
        }
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
        let keys = |count| (10..10 + count).map(|id| format!("ORG#1#TASK {id}"));
        let keys = |count| keys(count).collect();
        let now = Timestamp::from_millis(7);
        tracing::subscriber::with_default(lines("", false, || Lines), || {
            unreadable(&keys(0), Some("request"), now);
            unreadable(&keys(2), Some("request"), now);
            unreadable(&keys(12), None, now);
        });
        let lines = String::from_utf8(LINES.lock().unwrap().clone()).unwrap();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let [two, twelve]: [Value; 2] = lines
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        for (name, value) in [
            ("level", json!("ERROR")),
            ("records", json!("ORG#1#TASK 10, ORG#1#TASK 11")),
            ("requestId", json!("request")),
            ("count", json!(2)),
        ] {
            assert_eq!(two[name], value, "{name}");
        }
        let named = twelve["records"]
            .as_str()
            .unwrap()
            .split(", ")
            .count();
        assert_eq!((named, &twelve["count"]), (10, &json!(12)));
    }

    #[test]
    fn a_share_of_successes_is_logged_and_all_else() {
        let logged = |share, status, millis| {
            let status = StatusCode::from_u16(status).unwrap();
            let share = |id: &u32| logged_share(share, &format!("JKJaX{id}="), status, millis);
            (0..10_000)
                .filter(|id| share(id).is_some())
                .count()
        };
        let tenth = logged(0.1, 200, 999);
        assert!((900..1_100).contains(&tenth), "{tenth}");
        assert_eq!((logged(0.0, 201, 1), logged(1.0, 304, 1)), (0, 10_000));
        for (status, millis) in [(400, 1), (429, 1), (500, 1), (200, 1_000)] {
            assert_eq!(logged(0.0, status, millis), 10_000, "{status}");
        }
        // The same request is logged by whichever function it meets.
        let again = |id| logged_share(0.5, id, StatusCode::OK, 1);
        assert_eq!(again("JKJaX7="), again("JKJaX7="));
    }

    #[test]
    fn a_share_that_is_none_is_all() {
        let shares = ["", "0", "0.25", "2", "-1", "NaN", "a"];
        let read = shares.map(|setting| share(Some(setting)).to_string());
        assert_eq!(read, ["1", "0", "0.25", "1", "1", "1", "1"]);
        assert_eq!(share(None).to_string(), "1");
    }

    #[test]
    fn a_trace_is_the_root_of_its_header() {
        let root = "1-69690000-0123456789abcdef01234567";
        for (text, trace) in [
            ("Root=1-69690000-0123456789abcdef01234567", Some(root)),
            (
                "Self=1; Root=1-69690000-0123456789abcdef01234567;A=1",
                Some(root),
            ),
            ("Root=\"},{", None),
            ("Sampled=1", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-amzn-trace-id", text.parse().unwrap());
            assert_eq!(trace_of(&headers).as_deref(), trace, "{text}");
        }
    }

    #[test]
    fn a_clients_trace_is_that_of_a_well_formed_traceparent() {
        let trace = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("traceparent", text.parse().unwrap());
            trace_of_client(&headers)
        };
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        let parent = "00f067aa0ba902b7";
        for form in ["00-{}-01", "00-{}-00", "01-{}-01", "cc-{}-01-what-comes"] {
            let header = form.replace("{}", &format!("{id}-{parent}"));
            assert_eq!(trace(&header).as_deref(), Some(id), "{header}");
        }
        let zeros = "0".repeat(32);
        for unknown in [
            String::new(),
            id.to_owned(),
            format!("ff-{id}-{parent}-01"),
            format!("00-{id}-{parent}-01-more"),
            format!("00-{}-{parent}-01", id.to_uppercase()),
            format!("00-{zeros}-{parent}-01"),
            format!("00-{id}-{}-01", &zeros[..16]),
            format!("00-{id}-{parent}"),
            format!("00-{id}\"-{parent}-01"),
            format!("00-{id}, 00-{id}-{parent}-01"),
        ] {
            assert_eq!(trace(&unknown), None, "{unknown}");
        }
    }
}
