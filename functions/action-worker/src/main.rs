//! The `action-worker` function: wires the worker to the Lambda runtime.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::background::run::<action_worker::Worker>(env!("CARGO_PKG_NAME")).await
}
