//! The environment that the functions run in.

use super::config::Config;
use crate::{
    engines::{ACCESS_KEY_ID, Engines, REGION, SECRET_ACCESS_KEY},
    target_systems::DemoTargets,
};

/// Variables of this shell that would lead the functions' SDK elsewhere.
pub(crate) const REMOVED: [&str; 3] = ["AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"];

/// Every variable that the functions are given.
pub(crate) fn of_functions(
    config: &Config,
    engines: &Engines,
    targets: &DemoTargets,
    session_secret: &str,
) -> Vec<(&'static str, String)> {
    // The functions reach engines and target systems on this machine, whatever proxy leads off it.
    let no_proxy = ["127.0.0.1", "localhost"]
        .into_iter()
        .chain(config.no_proxy.as_deref())
        .collect::<Vec<_>>()
        .join(",");
    let mut variables = vec![
        ("TABLE_NAME", engines.table_name().to_owned()),
        ("QUEUE_URL", engines.queues().action_url.clone()),
        ("SESSION_SECRETS", session_secret.to_owned()),
        // Over http, browsers keep the cookie of all sites for this machine's own names alone.
        ("PLAIN_HTTP", (!config.cookie_of_any_site).to_string()),
        ("TARGET_SYSTEMS", targets.settings().to_string()),
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
