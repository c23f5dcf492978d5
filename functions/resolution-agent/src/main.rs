//! The `resolution-agent` function: wires its routes to the Lambda runtime.

use playbooks::Playbooks;
use resolution_agent::ResolutionAgent;
use shared::{App, Start, config, queue::Queue, serve, telemetry};
use targets::{Sealer, Targets};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init(env!("CARGO_PKG_NAME"));
    let start = Start::cold().await?;
    let app = App::from_start(&start)?;
    let sqs = aws_sdk_sqs::Client::new(&start.aws);
    let queue = Queue::new(sqs, &config::queue_url(&start.environment)?);
    let targets = Targets::of(&start)?;
    let (playbooks, sealer) = (Playbooks::shipped()?, Sealer::of(&start)?);
    let state = ResolutionAgent::new(app.clone(), queue, playbooks, targets, sealer);
    serve::serve(resolution_agent::routes(), state, &app).await
}
