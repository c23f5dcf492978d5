//! One JSON line per request, and what is counted for it.

use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use http::{Method, StatusCode};

use crate::model::{Id, OrganizationId, UserId};

/// Whether this process has answered before.
static WARM: AtomicBool = AtomicBool::new(false);

tokio::task_local! {
    static COUNTS: Counts;
}

/// What one request used, and for whom.
#[derive(Debug, Default)]
struct Counts {
    table_requests: Cell<u32>,
    table_units: Cell<f64>,
    user: Cell<Option<i64>>,
    organization: Cell<Option<i64>>,
}

/// What there is to say of a request that was answered.
#[derive(Debug)]
pub struct Record {
    counts: Counts,
    cold_start: bool,
    millis: u128,
}

/// Lines as JSON on standard output, at `RUST_LOG`'s level or `info`. Once per process.
pub fn init() {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(tracing::level_filters::LevelFilter::INFO.into())
        .from_env_lossy();
    // A second call, as tests make it, changes nothing.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter)
        .try_init();
}

/// Runs a request and answers with what it used.
pub async fn observe<F: Future>(request: F) -> (F::Output, Record) {
    let cold_start = !WARM.swap(true, Ordering::Relaxed);
    let start = Instant::now();
    COUNTS
        .scope(Counts::default(), async move {
            let output = request.await;
            let counts = COUNTS.with(|counts| Counts {
                table_requests: counts.table_requests.clone(),
                table_units: counts.table_units.clone(),
                user: counts.user.clone(),
                organization: counts.organization.clone(),
            });
            let record = Record {
                counts,
                cold_start,
                millis: start.elapsed().as_millis(),
            };
            (output, record)
        })
        .await
}

/// Notes who called.
pub fn caller(user: UserId, organization: OrganizationId) {
    // Outside of a request, as in the queue's worker, there is nothing to note it in.
    let _ = COUNTS.try_with(|counts| {
        counts.user.set(Some(user.get()));
        counts.organization.set(Some(organization.get()));
    });
}

/// Counts a request of the table and the capacity units it took.
pub fn count_table_request(units: f64) {
    let _ = COUNTS.try_with(|counts| {
        counts.table_requests.set(counts.table_requests.get() + 1);
        counts.table_units.set(counts.table_units.get() + units);
    });
}

impl Record {
    /// Writes the line: an error with its cause for a 5xx, information otherwise.
    pub fn log(
        &self,
        request_id: &str,
        method: &Method,
        route: &str,
        status: StatusCode,
        cause: Option<&str>,
    ) {
        macro_rules! line {
            ($level:ident, $cause:expr) => {
                tracing::$level!(
                    requestId = request_id,
                    method = %method,
                    route,
                    status = status.as_u16(),
                    durationMs = u64::try_from(self.millis).unwrap_or(u64::MAX),
                    userId = self.counts.user.get(),
                    organizationId = self.counts.organization.get(),
                    tableRequests = self.counts.table_requests.get(),
                    tableUnits = self.counts.table_units.get(),
                    coldStart = self.cold_start,
                    cause = $cause,
                )
            };
        }
        if status.is_server_error() {
            line!(error, cause);
        } else {
            line!(info, None::<&str>);
        }
    }
}
