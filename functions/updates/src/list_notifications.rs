//! `GET /api/notifications`

use axum::extract::State;
use shared::{
    endpoint::*,
    model::{
        base::{Listing, NotificationSort},
        updates::NotificationFilter,
    },
    store::updates::JoinedNotification,
};

use crate::Updates;

/// Lists the caller's notifications, newest first.
///
/// Notifications are kept for 90 days. A notification whose subject is gone, or may no longer be
/// read by the caller, has neither title nor excerpt.
#[utoipa::path(get, path = "/api/notifications")]
pub async fn list_notifications(
    State(state): State<Updates>,
    caller: Caller<need::SignedIn, Listing<NotificationFilter, NotificationSort>>,
) -> Result<List<JoinedNotification>, Problem> {
    let pages = caller.own_pages()?;
    let reader = caller.reader();
    let user = caller.user_id();
    let filter = &caller.query.filter;
    let notifications = state.app.store.notifications();
    let own = notifications.page(&reader, user, filter, &pages.wanted);
    let page = own.await?;
    let identity = caller.identity().await?;
    let may = |permission| identity.may(permission);
    let sees_notes = identity.sees_notes();
    let own_web_url = identity.organization.web_url.as_ref();
    let web_url = state.webhooks.web_url(own_web_url);
    Ok(pages.answer(page, |notification| {
        notification.for_user(may, sees_notes, web_url)
    })?)
}
