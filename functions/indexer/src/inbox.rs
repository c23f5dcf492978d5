//! Notifications and reminders that follow from changes.

use model::{Error, OrganizationId};
use store::{Change, Notice, Store, UnlistedChange};

/// Notifies users of an organization of changes, and plans reminders. Returns the number of new
/// notifications. Changes that were handled before have no effect.
pub(crate) async fn notify(
    store: &Store,
    organization: OrganizationId,
    changes: &[Change],
    unlisted: &[UnlistedChange],
) -> Result<usize, Error> {
    let notifications = store.notifications();
    let notices = changes.iter().flat_map(Notice::of);
    let notices = notices.chain(unlisted.iter().flat_map(Notice::of_unlisted));
    let (notified, ()) = tokio::try_join!(
        notifications.tell_once(organization, notices.collect()),
        notifications.plan_reminders(organization, changes),
    )?;
    Ok(notified)
}
