//! `GET /api/notifications`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{Listing, NotificationFilter, NotificationSort},
};

use crate::view::NotificationView;

/// Lists the caller's notifications, newest first.
///
/// Notifications are kept for 90 days. A notification whose subject is gone, or may no longer be read by the
/// caller, has neither title nor excerpt.
#[utoipa::path(get, path = "/api/notifications", operation_id = "listNotifications")]
pub async fn list_notifications(
    State(app): State<App>,
    caller: Caller<need::SignedIn, Listing<NotificationFilter, NotificationSort>>,
) -> Result<List<NotificationView>, Problem> {
    let pages = caller.own_pages(&app)?;
    let (tenant, user, filter) = (caller.tenant(), caller.user_id(), &caller.query.filter);
    let notifications = app.store.notifications();
    let page = notifications.page(tenant, user, filter, &pages.wanted);
    let page = page.await?;
    let identity = caller.identity().await?;
    let view = |joined| NotificationView::seen_by(&identity, joined);
    Ok(pages.answer(page, view)?)
}
