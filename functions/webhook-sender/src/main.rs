#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::background::run::<webhook_sender::WebhookSender>(env!("CARGO_PKG_NAME")).await
}
