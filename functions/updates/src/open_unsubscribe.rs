//! `GET /api/notifications/unsubscribe`

use shared::{endpoint::*, http::ToPage, model::updates::Unsubscribe};

/// Leads to the settings of notifications, by the link of a mail.
///
/// Changes nothing: mail programs without one click, and those that check links, open the link of
/// the header `List-Unsubscribe` in this way.
#[utoipa::path(get, path = "/api/notifications/unsubscribe")]
pub async fn open_unsubscribe(_: Query<Unsubscribe>) -> Result<ToPage, Problem> {
    Ok(ToPage("/#/settings/notifications"))
}
