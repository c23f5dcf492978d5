//! The first proposals of the demo. The agent makes them, by the API of the running stack.

use http::header;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use shared::model::base::AlertId;

use crate::{console, demo_data::PASSWORD};

/// Has actions proposed for these alerts by these users. A failure is a warning: the stack runs
/// without them.
pub(super) async fn make(url: &str, alerts: &[(AlertId, String)]) {
    for (alert, by) in alerts {
        if let Err(error) = propose(url, *alert, by).await {
            console::warn(&format!(
                "no actions are proposed for alert {alert}: {error}"
            ));
        }
    }
}

async fn propose(url: &str, alert: AlertId, by: &str) -> reqwest::Result<()> {
    // The URL is on this machine, so no proxy applies.
    let http = Client::builder().no_proxy().build()?;
    let credentials = json!({"username": by, "password": PASSWORD});
    let login = http
        .post(format!("{url}/api/auth/login"))
        .json(&credentials);
    let signed_in = login.send().await?.error_for_status()?;
    let cookie = signed_in
        .headers()
        .get(header::SET_COOKIE)
        .cloned();
    let post = async |path: String| -> reqwest::Result<Response> {
        let request = http.post(format!("{url}/api/concierge{path}"));
        let cookie = cookie
            .iter()
            .map(|cookie| (header::COOKIE, cookie.clone()));
        let request = request.headers(cookie.collect());
        request.send().await?.error_for_status()
    };
    let opened: Value = post(format!("/alerts/{alert}/agent-session"))
        .await?
        .json()
        .await?;
    post(format!(
        "/agent-sessions/{}/propose",
        opened["session"]["id"]
    ))
    .await?;
    Ok(())
}
