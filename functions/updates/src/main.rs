//! The `updates` function: wires its routes to the Lambda runtime.

use shared::{App, Start, config, queue::Queue, serve, telemetry};
use targets::webhooks::WebhookCaller;
use updates::Updates;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::cold().await?;
    let app = App::from_start(&start)?;
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = Queue::new(sqs, &config::webhook_queue_url(&start.environment)?);
    let webhooks = WebhookCaller::of(&start)?;
    let state = Updates::new(app.clone(), queue, webhooks);
    serve::serve(updates::routes(), state, &app).await
}
