//! The engines, started once for all tests of the process.

use std::sync::atomic::{AtomicUsize, Ordering};

use local::engines::{EngineQueues, Engines};
use tokio::sync::OnceCell;

static ENGINES: OnceCell<Engines> = OnceCell::const_new();
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// The engines that all tests share.
pub async fn engines() -> &'static Engines {
    ENGINES
        .get_or_init(async || Engines::in_memory().await.unwrap())
        .await
}

/// A table and queues that no other test touches.
pub async fn fresh() -> (String, EngineQueues) {
    let engines = engines().await;
    let name = format!("test-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    engines
        .create_table(&name)
        .await
        .unwrap();
    let queues = engines
        .create_queues(&name)
        .await
        .unwrap();
    (name, queues)
}
