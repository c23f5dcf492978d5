//! Environment variables of the functions.

use crate::engines::{ACCESS_KEY_ID, Engines, KEY, REGION, SECRET_ACCESS_KEY};

use super::config::Config;

/// Variables of this shell that would give the functions' SDK another account or region.
pub(crate) const REMOVED: [&str; 3] = ["AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"];

/// The secrets that sign.
pub(crate) struct Secrets {
    /// Signs sessions.
    pub(crate) session: String,
    /// Signs the links of mails.
    pub(crate) links: String,
    /// The secrets of webhooks follow from it.
    pub(crate) webhooks: String,
}

/// Returns the settings of the functions. The gateway listens on `port`, and mails go to
/// `mail_url`.
pub(crate) fn of_functions(
    config: &Config,
    engines: &Engines,
    secrets: &Secrets,
    port: u16,
    mail_url: &str,
) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        ("TABLE_NAME", engines.table_name().to_owned()),
        ("QUEUE_URL", engines.queues().actions.url.clone()),
        ("WEBHOOK_QUEUE_URL", engines.queues().webhooks.url.clone()),
        ("MAIL_QUEUE_URL", engines.queues().mails.url.clone()),
        ("SWEEP_QUEUE_URL", engines.queues().sweeps.url.clone()),
        (
            "CHANGE_DEAD_LETTER_QUEUE_URL",
            engines.queues().dead_changes.clone(),
        ),
        ("SESSION_SECRETS", secrets.session.clone()),
        ("LINK_SECRETS", secrets.links.clone()),
        ("WEBHOOK_SECRETS", secrets.webhooks.clone()),
        ("MAIL_FROM", "Workdesk <workdesk@localhost>".to_owned()),
        ("MAIL_URL", mail_url.to_owned()),
        ("API_URL", format!("http://localhost:{port}")),
        // Over http, browsers accept a cookie for all sites only for names of this machine.
        ("PLAIN_HTTP", (!config.cookie_of_any_site).to_string()),
        // The demo's connections lead to this machine, and so may webhooks.
        ("LOCAL_TARGETS", "true".to_owned()),
        ("SECRETS_KEY", KEY.to_owned()),
    ];
    settings.extend(config.handed_on.iter().cloned());
    settings
}

/// Returns the variables by which the SDK of another process finds the engines.
pub(crate) fn of_sdk(config: &Config, engines: &Engines) -> Vec<(&'static str, String)> {
    // Engines and target systems are on this machine, so no proxy applies to them.
    let no_proxy = ["127.0.0.1", "localhost"]
        .into_iter()
        .chain(config.no_proxy.as_deref())
        .collect::<Vec<_>>()
        .join(",");
    vec![
        (
            "AWS_ENDPOINT_URL_DYNAMODB",
            engines.dynamodb_url().to_owned(),
        ),
        ("AWS_ENDPOINT_URL_SQS", engines.sqs_url().to_owned()),
        ("AWS_ENDPOINT_URL_KMS", engines.kms_url().to_owned()),
        ("AWS_REGION", REGION.to_owned()),
        ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID.to_owned()),
        ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY.to_owned()),
        ("NO_PROXY", no_proxy.clone()),
        ("no_proxy", no_proxy),
    ]
}
