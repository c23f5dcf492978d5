#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::background::run::<mailer::Mailer>(env!("CARGO_PKG_NAME")).await
}
