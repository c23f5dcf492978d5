//! `workdesk-admin replay-changes`: handles the dead-letter queue of changes.

use lexopt::Parser;
use serde::Deserialize;
use shared::{
    model::{Id, OrganizationId},
    store::Store,
};

use crate::{arguments, error::Error, index_records, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "replay-changes";

const USAGE: &str = "\
Handles each change in the dead-letter queue of changes, and deletes its message. A record that is still there
is published, indexed and delivered to webhooks as it is now. For all others, and for a batch that the stream
gave up, it does what restart-feed does: for the organization, or for all if none is named.

Usage: workdesk-admin replay-changes TABLE QUEUE_URL

  TABLE       The DynamoDB table: the output TableName of the deployed stack
  QUEUE_URL   The queue's URL: the output ChangeDeadLetterQueueUrl of the deployed stack

Mend the cause first: the log names it. A message that fails stays in the queue; the exit code is then 1.";

/// The most messages of a request.
const MOST: i32 = 10;

/// A change that a consumer of the stream set aside. A batch that the stream gave up names no item.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Letter {
    item: Option<String>,
    organization_id: Option<OrganizationId>,
}

/// Replays what lies in the queue.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let Some([table, queue]) = arguments::exactly(given, USAGE)? else {
        return Ok(());
    };
    let store = table::open(&table).await;
    let sqs = table::queues().await;
    let failed = |error: aws_sdk_sqs::Error| Error::Invalid(format!("the queue: {error}"));
    let (mut replayed, mut kept) = (0, 0);
    loop {
        let receive = sqs.receive_message().queue_url(&queue);
        let received = receive.max_number_of_messages(MOST).send().await;
        let messages = received.map_err(|error| failed(error.into()))?.messages;
        let messages = messages.unwrap_or_default();
        if messages.is_empty() {
            break;
        }
        for message in messages {
            let letter = message.body.as_deref().map(serde_json::from_str);
            let letter: Letter = letter.and_then(Result::ok).unwrap_or_default();
            if let Err(error) = replay(&store, &letter).await {
                kept += 1;
                let item = letter.item.as_deref().unwrap_or("a batch");
                terminal::fail(&format!("{item}: {error}"));
                continue;
            }
            replayed += 1;
            let receipt = message.receipt_handle.unwrap_or_default();
            let delete = sqs.delete_message().queue_url(&queue);
            let deleted = delete.receipt_handle(receipt).send().await;
            deleted.map_err(|error| failed(error.into()))?;
        }
    }
    terminal::say(&format!("Replayed: {replayed}."));
    match kept {
        0 => Ok(()),
        some => Err(Error::Incomplete(some)),
    }
}

async fn replay(store: &Store, letter: &Letter) -> Result<(), Error> {
    let item = letter.item.as_deref();
    let organization = letter.organization_id.or_else(|| owner(item?));
    if let (Some(item), Some(organization)) = (item, organization)
        && store.feed().replay(organization, item).await?
    {
        terminal::say(&format!("{organization}\treplayed\t{item}"));
        return Ok(());
    }
    let named = organization.map(|id| id.to_string());
    index_records::each(store, named.as_slice(), async |organization| {
        terminal::say(&format!("{organization}\tfeed restarted"));
        index_records::restart(store, organization).await
    })
    .await
}

/// Returns the organization in an item's key.
fn owner(item: &str) -> Option<OrganizationId> {
    let id = item.strip_prefix("ORG#")?.split(['#', ' ']).next()?;
    OrganizationId::new(id.parse().ok()?)
}
