#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::serve::run(env!("CARGO_PKG_NAME"), activities::routes()).await
}
