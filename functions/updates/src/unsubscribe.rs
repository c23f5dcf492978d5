//! `POST /api/notifications/unsubscribe`

use shared::{
    endpoint::*,
    http::refusal::LinkInvalid,
    model::{
        base::Code,
        updates::{NotificationPreferencesSet, Unsubscribe, Unsubscription},
    },
};

/// Ends the mails of some kinds of notifications, by the link of a mail.
///
/// The link is in the header `List-Unsubscribe` of each mail of notifications. Mail programs send
/// it on one click, with a body that is not read (RFC 8058). The kinds stay in the inbox. It works
/// more than once.
#[utoipa::path(post, path = "/api/notifications/unsubscribe")]
pub async fn unsubscribe(
    State(app): State<App>,
    Query(Unsubscribe { link }): Query<Unsubscribe>,
) -> Result<NoContent, Problem<(ConcurrentChange, LinkInvalid)>> {
    let Some(of) = app
        .links
        .verified(&link)
        .and_then(Unsubscription::parse)
    else {
        let detail = "The link is not valid. Choose the kinds in your settings.";
        return Err(Error::forbidden(Code::LinkInvalid, detail).into());
    };
    let without = NotificationPreferencesSet::without_mail(of.kinds);
    let notifications = app.store.notifications();
    let ended = notifications.set_preferences(of.organization_id, of.user_id, &without);
    ended.await?;
    Ok(NoContent)
}
