//! The `pages` function: wires its routes to the Lambda runtime.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::serve::run_open(env!("CARGO_PKG_NAME"), pages::routes).await
}
