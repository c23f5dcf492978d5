//! `/api/webhooks`

mod create;
mod deliveries;
mod rotate_secret;
mod test;

use tests::support::{Api, Caller};

const URL: &str = "https://hooks.example.com";

/// Ada, the path of her webhook of all types, and its secret.
async fn hooked() -> (Api, Caller, String, String) {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, secret) = api.has_webhook(&ada, URL, &["*"]).await;
    (api, ada, format!("/api/webhooks/{id}"), secret)
}
