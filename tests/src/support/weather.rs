//! The whole suite behind faults by chance: `WORKDESK_WEATHER=<seed> cargo test`.
//!
//! Every world then has its table behind a [`Weather`] of its own, which the seed and the test's
//! name decide. A correct service lets no test notice. Indexes lag too: each `GET` is sent once
//! more before, while they do, and answered then as the document says. Requests wait for one
//! another's repetitions, so that more tests at once (`RUST_TEST_THREADS=8`) are sooner done.

use std::sync::{Arc, LazyLock};

use futures::future::BoxFuture;

use crate::table_proxy::{Asked, Fault, FaultSource, Lag, OBSERVER, TableProxy, Weather};

use super::engines;

/// The variable with the seed, a number.
const VARIABLE: &str = "WORKDESK_WEATHER";

/// Reason of tests that count requests.
const COUNTS: &str = "it counts requests, and a read that is sent twice or a write that is repeated \
                      is a request more";

/// Reason of tests that read the log.
const LOGS: &str = "it counts lines of the log, and a read that is sent twice has two";

/// The tests that have no weather, by the beginning of their names, and why.
const INDOORS: &[(&str, &str)] = &[
    ("budgets::", COUNTS),
    (
        "auth::login::a_sign_in_that_was_refused_is_logged_with_its_address_alone",
        LOGS,
    ),
    (
        "auth::session::a_session_that_cannot_be_extended_serves_all_the_same",
        COUNTS,
    ),
    (
        "auth::session::the_idle_time_is_extended_at_most_once_per_tenth",
        COUNTS,
    ),
    (
        "managed_services::search_references::a_search_reads_on_past_what_does_not_match",
        COUNTS,
    ),
    (
        "tasks::list::a_long_list_reads_its_objects_side_by_side",
        COUNTS,
    ),
    (
        "tasks::list::a_rare_filter_walks_a_thousand_rows_a_page",
        COUNTS,
    ),
    (
        "tokens::list::the_last_use_is_kept_to_the_day_by_one_write_a_day",
        COUNTS,
    ),
    (
        "bearer::a_malformed_token_costs_no_read_whatever_the_cookie",
        COUNTS,
    ),
    (
        "failures::bodies_that_are_no_json_object_are_refused_without_a_write",
        COUNTS,
    ),
    ("inbox::a_comment_for_three_users_costs_little", COUNTS),
    ("limits::", COUNTS),
    (
        "halved_reads::the_organization_is_read_once_in_five_seconds",
        COUNTS,
    ),
    ("sign_in_costs::", COUNTS),
    (
        "long_texts::a_drag_costs_the_same_whatever_the_length_of_the_text",
        COUNTS,
    ),
    (
        "long_texts::a_hundred_long_tasks_are_reordered_at_once",
        COUNTS,
    ),
    (
        "pending_write::a_write_reads_beside_its_authorization_and_waits_for_it",
        COUNTS,
    ),
    (
        "search::an_indexed_write_costs_what_the_document_says",
        COUNTS,
    ),
    (
        "request_log::a_request_is_logged_with_who_asked_and_what_it_took_of_the_table",
        LOGS,
    ),
];

static SEED: LazyLock<Option<u64>> = LazyLock::new(|| {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the tests read a variable"
    )]
    let seed = std::env::var(VARIABLE).ok()?;
    let number = seed.parse();
    Some(number.unwrap_or_else(|_| panic!("{VARIABLE} is {seed:?}, not a number")))
});

/// A proxy with weather, before one table.
#[derive(Clone, Debug)]
pub struct Outdoors {
    proxy: TableProxy,
    weather: Arc<ForTests>,
}

/// Weather that tests do not notice: ids have no gaps. One is left where the table counts on and
/// its answer is lost, which is as it should be, but tests call records by their ids.
#[derive(Debug)]
struct ForTests(Weather);

impl FaultSource for ForTests {
    fn fault<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Option<Fault>> {
        let counts = asked.request["Key"]["pk"]["S"].as_str();
        if counts.is_some_and(|key| key.starts_with("COUNTER#")) {
            return Box::pin(std::future::ready(None));
        }
        self.0.fault(asked)
    }
}

impl Outdoors {
    /// Before this table, if this test is to have weather.
    pub async fn of(table: &str) -> Option<Self> {
        let seed = (*SEED)?;
        let thread = std::thread::current();
        let test = thread.name().unwrap_or_default();
        if INDOORS
            .iter()
            .any(|(name, _)| test.starts_with(name))
        {
            return None;
        }
        let weather = Arc::new(ForTests(Weather::new(seed, test)));
        let dynamodb = engines::engines().await.dynamodb_url();
        let proxy = TableProxy::start(dynamodb, weather.clone()).await;
        proxy.lag_behind(table).await;
        Some(Self { proxy, weather })
    }

    /// Where the functions find the table.
    pub fn url(&self) -> &str {
        self.proxy.url()
    }

    /// For as long as this lives, indexes lag.
    pub fn lags(&self) -> Lag<'_> {
        self.weather.0.lags()
    }

    /// Where the tests themselves find it.
    pub fn observer_url(&self) -> String {
        self.proxy.url_of(OBSERVER)
    }
}
