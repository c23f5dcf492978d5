//! A proxy between clients and the embedded table. Does what DynamoDB does and the engine does not.
//! It fails, answers late or from a lagging index, and refuses what DynamoDB refuses.
//!
//! A [`FaultSource`] decides which request meets a fault: a plan of a test, or [`Weather`] by
//! chance.

mod asked;
mod chance;
mod fault;
mod lagging;
mod strict;
mod upstream;
mod weather;

pub use asked::{Asked, ItemKey};
pub use chance::Chance;
pub use fault::{Fault, FaultSource};
pub use upstream::Upstream;
pub use weather::{Kind, Lag, Weather};

use std::sync::{Arc, LazyLock};

use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    response::Response,
};
use tokio::{net::TcpListener, runtime::Runtime};

use self::lagging::Lagging;

/// The client whose requests meet no fault: it observes the table from outside.
pub const OBSERVER: &str = "observer";

/// All proxies run here, so that none ends with the runtime of its test.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime
        .worker_threads(2)
        .thread_name("proxies");
    runtime.enable_all().build().unwrap()
});

/// The proxy; clones are the same one, which runs to the end of the process.
#[derive(Clone, Debug)]
pub struct TableProxy {
    url: String,
    lagging: Lagging,
}

#[derive(Clone)]
struct Served {
    upstream: Upstream,
    lagging: Lagging,
    source: Arc<dyn FaultSource>,
}

impl TableProxy {
    /// A proxy of the DynamoDB at a URL, on a port of its own.
    pub async fn start(dynamodb: &str, source: Arc<dyn FaultSource>) -> Self {
        let upstream = Upstream::new(dynamodb);
        let lagging = Lagging::new(upstream.clone());
        let served = Served {
            upstream,
            lagging: lagging.clone(),
            source,
        };
        let routes = Router::new()
            .fallback(respond)
            .with_state(served);
        let url = serve(routes.layer(DefaultBodyLimit::disable())).await;
        Self { url, lagging }
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens for one sender, whose name its requests carry.
    #[must_use]
    pub fn url_of(&self, sender: &str) -> String {
        format!("{}/{sender}", self.url)
    }

    /// Keeps a second, lagging copy of a table. Queries of indexes are answered from it where
    /// [`Fault::Stale`] strikes. The table is still empty.
    pub async fn lag_behind(&self, table: &str) {
        self.lagging.follow(table).await;
    }
}

/// Serves routes on a port of its own to the end of the process, and answers where.
pub async fn serve(routes: Router) -> String {
    let serving = RUNTIME.spawn(async {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async { axum::serve(listener, routes).await });
        url
    });
    serving.await.unwrap()
}

async fn respond(State(served): State<Served>, asked: Asked) -> Response {
    let _under_way = served.source.comes_in();
    if let Some(refusal) = strict::refusal(&asked, &served.upstream).await {
        return refusal;
    }
    let fault = if asked.sender == OBSERVER {
        None
    } else {
        served.source.fault(&asked).await
    };
    served.answer(&asked, fault).await
}
