//! What becomes of a message's action when the message is delivered no more.

use crate::support::{Concierge, Fault, Requests, Settings, event};

/// The table is read, and takes no writes.
#[tokio::test]
async fn a_sound_action_is_left_to_the_sweeper() {
    let (settings, faults) = Settings::behind_faults().await;
    let world = Concierge::start_in(settings).await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    faults.begin(Requests::Of("TransactWriteItems"), Fault::Denied);
    let message = world.message(&id, &action);
    let response = world.worker().handle(event(&[(&message, 5)])).await;
    assert_eq!(response.batch_item_failures.len(), 1);
    faults.end();
    world.recovers(&id).await;
    assert_eq!(world.demo.effects().len(), 1);
}
