//! The `auth` function: wires its routes to the Lambda runtime.

use shared::{App, Start, http, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let app = App::from_start(&Start::cold().await?)?;
    http::serve(auth::routes(), app.clone(), &app).await
}
