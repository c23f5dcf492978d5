//! A function that does nothing. The cold starts of the others are compared with its own.

use lambda_http::{Body, Error, Request, Response, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: Request| {
        Ok::<_, Error>(Response::new(Body::Empty))
    }))
    .await
}
