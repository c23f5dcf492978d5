//! The `sweeper` function: wires the sweeper to its schedule and its queue.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;
use sweeper::{Event, Queues, Sweeper};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::background().await?;
    let table = config::table(&start.environment)?;
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = |url: &str| Queue::new(sqs.clone(), url);
    let queues = Queues {
        actions: queue(&config::queue_url(&start.environment)?),
        webhooks: queue(&config::webhook_queue_url(&start.environment)?),
        sweeps: queue(&config::sweep_queue_url(&start.environment)?),
    };
    let sweeper = &Sweeper::new(store, queues);
    lambda_runtime::run(service_fn(async |event: LambdaEvent<Event>| {
        Ok::<_, Error>(sweeper.handle(event.payload).await)
    }))
    .await
}
