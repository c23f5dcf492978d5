//! Environment variables of the functions.

use serde_json::Value;
use shared::model::OrganizationId;

use super::config::Config;
use crate::{
    engines::{ACCESS_KEY_ID, Engines, REGION, SECRET_ACCESS_KEY},
    target_systems::DemoTargets,
};

/// Variables of this shell that would give the functions' SDK another account or region.
pub(crate) const REMOVED: [&str; 3] = ["AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"];

/// Path prefix of the connections' secrets.
const SECRETS_PATH: &str = "/local/connections";

/// Returns the secrets of the demo organization's connections by path.
fn connection_secrets(tenant: OrganizationId) -> Value {
    let secrets = DemoTargets::secrets();
    let secrets = secrets.map(|(name, secret)| {
        let path = format!("{SECRETS_PATH}/{tenant}/{name}");
        (path, secret.into())
    });
    Value::Object(secrets.collect())
}

/// The secrets of the stack.
pub(crate) struct Secrets {
    /// Signs sessions.
    pub(crate) session: String,
    /// The secrets of webhooks follow from it.
    pub(crate) webhooks: String,
}

/// Returns all variables of the functions. The gateway listens on `port`.
pub(crate) fn of_functions(
    config: &Config,
    engines: &Engines,
    tenant: OrganizationId,
    secrets: &Secrets,
    port: u16,
) -> Vec<(&'static str, String)> {
    // Engines and target systems are on this machine, so no proxy applies to them.
    let no_proxy = ["127.0.0.1", "localhost"]
        .into_iter()
        .chain(config.no_proxy.as_deref())
        .collect::<Vec<_>>()
        .join(",");
    let mut variables = vec![
        ("TABLE_NAME", engines.table_name().to_owned()),
        ("QUEUE_URL", engines.queues().actions.url.clone()),
        ("WEBHOOK_QUEUE_URL", engines.queues().webhooks.url.clone()),
        ("SWEEP_QUEUE_URL", engines.queues().sweeps.url.clone()),
        ("SESSION_SECRETS", secrets.session.clone()),
        ("WEBHOOK_SECRETS", secrets.webhooks.clone()),
        ("API_URL", format!("http://127.0.0.1:{port}")),
        // Over http, browsers accept a cookie for all sites only for names of this machine.
        ("PLAIN_HTTP", (!config.cookie_of_any_site).to_string()),
        // The demo's connections lead to this machine, and so may webhooks.
        ("LOCAL_TARGETS", "true".to_owned()),
        ("CONNECTION_SECRETS_PATH", SECRETS_PATH.to_owned()),
        ("CONNECTION_SECRETS", connection_secrets(tenant).to_string()),
        (
            "AWS_ENDPOINT_URL_DYNAMODB",
            engines.dynamodb_url().to_owned(),
        ),
        ("AWS_ENDPOINT_URL_SQS", engines.sqs_url().to_owned()),
        ("AWS_REGION", REGION.to_owned()),
        ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID.to_owned()),
        ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY.to_owned()),
        ("NO_PROXY", no_proxy.clone()),
        ("no_proxy", no_proxy),
    ];
    variables.extend(config.handed_on.iter().cloned());
    variables
}
