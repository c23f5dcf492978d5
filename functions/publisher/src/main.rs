#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::background::run::<publisher::Publisher>(env!("CARGO_PKG_NAME")).await
}
