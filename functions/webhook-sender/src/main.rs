//! The `webhook-sender` function: wires the sender to its queue.

use aws_lambda_events::sqs::SqsEvent;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use model::Clock;
use runtime::{Start, config, queue::Queue, telemetry};
use store::Store;
use targets::webhooks::WebhookCaller;
use webhook_sender::WebhookSender;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::cold().await?;
    let table = config::table(&start.environment)?;
    let caller = WebhookCaller::of(&start)?;
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = Queue::new(sqs, &config::webhook_queue_url(&start.environment)?);
    let store = Store::new(start.dynamodb, &table, Clock::system());
    let sender = &WebhookSender::new(store, queue, caller);
    lambda_runtime::run(service_fn(async |event: LambdaEvent<SqsEvent>| {
        Ok::<_, Error>(sender.handle(event.payload).await)
    }))
    .await
}
