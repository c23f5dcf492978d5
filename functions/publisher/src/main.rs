//! The `publisher` function: wires the publisher to the table's stream.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use publisher::Publisher;
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;
use stream::StreamEvent;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::background().await?;
    let environment = &start.environment;
    let table = config::table(environment)?;
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = |url: String| Queue::new(sqs.clone(), &url);
    let publisher = &Publisher::new(
        store,
        queue(config::webhook_queue_url(environment)?),
        queue(config::sweep_queue_url(environment)?),
        queue(config::change_dead_letter_queue_url(environment)?),
    );
    lambda_runtime::run(service_fn(async |event: LambdaEvent<StreamEvent>| {
        Ok::<_, Error>(publisher.handle(event.payload).await)
    }))
    .await
}
