//! Deliveries of the table's stream, and changes that a consumer cannot handle.
//!
//! The stream delivers each change of an item at least once, and the changes of one item in order.
//! The stream repeats a delivery only if the table or a queue refused a request. Any other failure
//! would come again with each repetition, and delay every organization. So such a change is set
//! aside: its place and its cause go to the dead-letter queue of changes, and the stream moves on.

use std::{collections::BTreeMap, future::Future, panic::AssertUnwindSafe, time::Duration};

use futures::{FutureExt, StreamExt, stream};
use model::base::{Error, Id, OrganizationId, QueueMessage, Timestamp};
use runtime::{
    queue::Queue,
    telemetry::{self, Metric},
};
use serde::{Deserialize, Serialize};
use store::{
    base::Store,
    updates::{FeedChange, StreamItem, StreamRecord, UnlistedChange},
};

/// The most characters of a cause in a message.
const MOST_OF_CAUSE: usize = 2_000;

/// A delivery of the table's stream.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamEvent {
    /// The records, in the order of the stream.
    #[serde(rename = "Records")]
    pub records: Vec<StreamRecord>,
}

/// The answer to a delivery. The stream delivers the earliest failed record again, and all after
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamResponse {
    pub batch_item_failures: Vec<BatchItemFailure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchItemFailure {
    /// Its position in the stream.
    pub item_identifier: String,
}

/// Changes of an organization, in the order of the stream.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The changes of records that the feed has.
    pub listed: Vec<FeedChange>,
    /// The changes of other items.
    pub unlisted: Vec<UnlistedChange>,
}

impl Changes {
    pub fn count(&self) -> usize {
        self.listed.len() + self.unlisted.len()
    }
}

/// A consumer of the table's stream.
pub trait Consumer: Sync {
    /// The function's name.
    const NAME: &'static str;

    /// The organizations whose changes are handled at the same time.
    const CONCURRENCY: usize;

    /// The longest time for the changes of an organization in one delivery. What is left comes
    /// again.
    fn limit(&self) -> Duration;

    /// The records.
    fn store(&self) -> &Store;

    /// Handles changes of an organization. Changes that were handled before have no effect.
    fn consume(
        &self,
        organization: OrganizationId,
        changes: Changes,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}

#[derive(Clone, Copy)]
struct Placed<'a> {
    index: usize,
    record: &'a StreamRecord,
}

/// The reason for which a change was not handled.
enum Cause {
    /// The table or a queue refused a request: a repetition may succeed.
    Refused(String),
    /// Each repetition would fail.
    Fault(String),
}

/// A change that was not handled.
struct Failure<'a> {
    placed: Placed<'a>,
    organization: Option<OrganizationId>,
    cause: Cause,
}

/// A change that was set aside, as the dead-letter queue has it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SetAside<'a> {
    consumer: &'static str,
    stream_arn: Option<&'a str>,
    sequence_number: &'a str,
    /// Partition key and sort key of the changed item.
    item: String,
    organization_id: Option<OrganizationId>,
    cause: String,
}

/// No consumer reads the message back, so it has no version.
impl QueueMessage for SetAside<'_> {
    fn to_text(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| Error::internal("writing a message", error))
    }
}

/// Hands a delivery to a consumer, by organization. A failure of one organization does not affect
/// the others.
pub async fn handle<C: Consumer>(
    consumer: &C,
    dead_letters: &Queue,
    event: &StreamEvent,
    now: Timestamp,
) -> StreamResponse {
    let (mut failures, by_organization) = sorted(&event.records);
    let handled = async {
        stream::iter(by_organization)
            .map(|(organization, records)| of_organization(consumer, organization, records))
            .buffer_unordered(C::CONCURRENCY)
            .collect::<Vec<_>>()
            .await
    };
    let failed = telemetry::metered(handled, now).await;
    failures.extend(failed.into_iter().flatten());
    let is_refused = |failure: &Failure<'_>| matches!(failure.cause, Cause::Refused(_));
    let (refused, mut faults): (Vec<_>, Vec<_>) = failures
        .into_iter()
        .partition(is_refused);
    // Changes after a refused one come again, and so do their faults.
    if let Some(first) = refused
        .iter()
        .map(|failure| failure.placed.index)
        .min()
    {
        faults.retain(|fault| fault.placed.index <= first);
    }
    let unsent = set_aside::<C>(dead_letters, &faults, now).await;
    let failed = refused
        .iter()
        .map(|failure| failure.placed)
        .chain(unsent);
    let failed = failed.map(|placed| BatchItemFailure {
        item_identifier: placed
            .record
            .sequence_number()
            .to_owned(),
    });
    StreamResponse {
        batch_item_failures: failed.collect(),
    }
}

/// Records by organization, and the failures of those that do not read.
fn sorted(
    records: &[StreamRecord],
) -> (Vec<Failure<'_>>, BTreeMap<OrganizationId, Vec<Placed<'_>>>) {
    let mut failures = Vec::new();
    let mut by_organization: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        let placed = Placed { index, record };
        match record.item() {
            Ok(Some(item)) => by_organization
                .entry(item.organization())
                .or_default()
                .push(placed),
            Ok(None) => {}
            Err(error) => failures.push(Failure {
                placed,
                organization: None,
                cause: Cause::Fault(error.to_string()),
            }),
        }
    }
    (failures, by_organization)
}

/// Handles the changes of an organization. After a fault, handles each change by itself.
async fn of_organization<'a, C: Consumer>(
    consumer: &C,
    organization: OrganizationId,
    records: Vec<Placed<'a>>,
) -> Vec<Failure<'a>> {
    let failure = |placed, cause| Failure {
        placed,
        organization: Some(organization),
        cause,
    };
    let [first, ref rest @ ..] = records[..] else {
        return Vec::new();
    };
    match attempt(consumer, organization, &records).await {
        Ok(()) => return Vec::new(),
        Err(cause @ Cause::Refused(_)) => {
            log_refusal(organization, records.len(), &cause);
            return vec![failure(first, cause)];
        }
        Err(cause @ Cause::Fault(_)) if rest.is_empty() => return vec![failure(first, cause)],
        Err(Cause::Fault(_)) => {}
    }
    let mut failures = Vec::new();
    for placed in records {
        let Err(cause) = attempt(consumer, organization, &[placed]).await else {
            continue;
        };
        let is_refused = matches!(cause, Cause::Refused(_));
        if is_refused {
            log_refusal(organization, 1, &cause);
        }
        failures.push(failure(placed, cause));
        if is_refused {
            break;
        }
    }
    failures
}

async fn attempt<C: Consumer>(
    consumer: &C,
    organization: OrganizationId,
    records: &[Placed<'_>],
) -> Result<(), Cause> {
    let handling = Box::pin(async {
        let has_removals = records
            .iter()
            .any(|placed| placed.record.is_removal());
        // A deleted organization leaves nothing, not even the changes that delete it.
        if has_removals
            && consumer
                .store()
                .tenants()
                .is_leaving(organization)
                .await?
        {
            return Ok(());
        }
        let mut changes = Changes::default();
        for placed in records {
            match placed.record.item() {
                Ok(Some(StreamItem::Listed(change))) => changes.listed.push(*change),
                Ok(Some(StreamItem::Unlisted(change))) => changes.unlisted.push(*change),
                Ok(None) | Err(_) => {}
            }
        }
        if changes.count() == 0 {
            return Ok(());
        }
        consumer
            .consume(organization, changes)
            .await
    });
    let handling = AssertUnwindSafe(handling).catch_unwind();
    match tokio::time::timeout(consumer.limit(), handling).await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(error))) if store::is_refusal(&error) => Err(Cause::Refused(error.chain())),
        Ok(Ok(Err(error))) => Err(Cause::Fault(error.chain())),
        Ok(Err(_)) => Err(Cause::Fault("a panic".to_owned())),
        Err(elapsed) => Err(Cause::Refused(elapsed.to_string())),
    }
}

fn log_refusal(organization: OrganizationId, changes: usize, cause: &Cause) {
    let (Cause::Refused(cause) | Cause::Fault(cause)) = cause;
    tracing::error!(
        organizationId = organization.get(),
        changes,
        cause,
        "changes come again"
    );
}

/// Sends changes to the dead-letter queue, and counts and logs them. Returns the first one that was
/// not sent.
async fn set_aside<'a, C: Consumer>(
    dead_letters: &Queue,
    faults: &[Failure<'a>],
    now: Timestamp,
) -> Option<Placed<'a>> {
    if faults.is_empty() {
        return None;
    }
    let messages = faults.iter().map(|fault| {
        let (Cause::Refused(cause) | Cause::Fault(cause)) = &fault.cause;
        let record = fault.placed.record;
        SetAside {
            consumer: C::NAME,
            stream_arn: record.stream_arn(),
            sequence_number: record.sequence_number(),
            item: record.key(),
            organization_id: fault.organization,
            cause: cause
                .chars()
                .take(MOST_OF_CAUSE)
                .collect(),
        }
    });
    let messages: Vec<SetAside<'_>> = messages.collect();
    for message in &messages {
        tracing::error!(
            organizationId = message.organization_id.map(Id::get),
            position = message.sequence_number,
            item = message.item,
            cause = message.cause,
            "a change was set aside"
        );
    }
    telemetry::count(Metric::Unreadable(messages.len()), now);
    let sent = dead_letters.send(&messages).await;
    let unsent = faults
        .iter()
        .zip(sent)
        .filter(|(_, sent)| sent.is_err());
    let unsent = unsent.map(|(fault, _)| fault.placed);
    unsent.min_by_key(|placed| placed.index)
}
