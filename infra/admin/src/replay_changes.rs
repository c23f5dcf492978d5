//! `workdesk-admin replay-changes`: handles the dead-letter queue of changes.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_sqs::{Client, types::Message};
use lexopt::Parser;
use serde::Deserialize;
use shared::{
    model::base::{Id, OrganizationId},
    store::base::Store,
};

use crate::{arguments, error::Error, index_records, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "replay-changes";

const USAGE: &str = "\
Handles each change in the dead-letter queue of changes, and deletes its message. A record that is still there
is published, indexed and delivered to webhooks as it is now. For all others, and for a batch that the stream
gave up, it does what restart-feed does: for the organization, or for all if none is named. It reads all messages
first, so that it restarts each feed once.

Usage: workdesk-admin replay-changes TABLE QUEUE_URL [--wait SECONDS]

  TABLE            The DynamoDB table: the output TableName of the deployed stack
  QUEUE_URL        The queue's URL: the output ChangeDeadLetterQueueUrl of the deployed stack
  --wait SECONDS   The seconds for which the queue is asked before it counts as empty, 0 to 20; 20 without it.
                   With 0, a queue may seem empty that is not

Mend the cause first: the log names it. A message that fails stays in the queue; the exit code is then 1. A run
takes 10000 messages at most, and says so if more are left. Its messages are hidden from others for two hours.";

/// The most messages of a request.
const AT_ONCE: i32 = 10;

/// The most messages of a run.
const MOST: usize = 10_000;

/// Seconds for which a read message is hidden: longer than a run takes.
const HIDDEN: i32 = 2 * 60 * 60;

/// The longest wait of a request to the queue, in seconds.
const LONGEST_WAIT: i32 = 20;

/// A change that a consumer of the stream set aside. A batch that the stream gave up names no item.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Letter {
    item: Option<String>,
    organization_id: Option<OrganizationId>,
}

/// The messages of a run by what is to be done for them. Each is there once.
#[derive(Default)]
struct Work {
    /// Receipts by item, with the organization.
    items: BTreeMap<(OrganizationId, String), Vec<String>>,
    /// Receipts by organization whose feed is to be restarted.
    restarts: BTreeMap<OrganizationId, Vec<String>>,
    /// Receipts of messages that name no organization. All feeds are to be restarted.
    of_all: Vec<String>,
}

/// Replays what lies in the queue.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let parsed = arguments::with_options(parser, USAGE, [("wait", true)])?;
    let Some(([table, url], [wait])) = parsed else {
        return Ok(());
    };
    let wait = wait
        .last()
        .map_or(Ok(LONGEST_WAIT), |text| seconds(text))?;
    let store = table::open(&table).await;
    let queue = Queue {
        sqs: table::queues().await,
        url,
    };
    let (mut work, is_whole) = queue.read(wait).await?;
    let mut replayed = 0;
    let mut kept = 0;
    for ((organization, item), receipts) in std::mem::take(&mut work.items) {
        match store
            .feed()
            .replay(organization, &item)
            .await
        {
            Ok(true) => {
                terminal::say(&format!("{organization}\treplayed\t{item}"));
                replayed += receipts.len();
                queue.delete(receipts).await?;
            }
            Ok(false) => work
                .restarts
                .entry(organization)
                .or_default()
                .extend(receipts),
            Err(error) => {
                kept += receipts.len();
                terminal::fail(&format!("{item}: {}", error.chain()));
                queue.show(receipts).await?;
            }
        }
    }
    let (restarted, failed) = restart(&store, &queue, work).await?;
    terminal::say(&format!("Replayed: {}.", replayed + restarted));
    if !is_whole {
        terminal::say("The queue has more messages: run this again.");
    }
    Error::of_failed(kept + failed)
}

/// Restarts each feed once. Returns the numbers of handled messages, and of those that stay.
async fn restart(store: &Store, queue: &Queue, work: Work) -> Result<(usize, usize), Error> {
    let Work {
        mut restarts,
        of_all,
        ..
    } = work;
    let mut handled = 0;
    let mut kept = 0;
    let named: Vec<OrganizationId> = restarts.keys().copied().collect();
    let missing = store
        .directory()
        .missing(&named)
        .await?;
    for organization in missing {
        // A deleted organization has no feed.
        let receipts = restarts
            .remove(&organization)
            .unwrap_or_default();
        terminal::say(&format!("{organization}\tis gone"));
        handled += receipts.len();
        queue.delete(receipts).await?;
    }
    let mut organizations: BTreeSet<OrganizationId> = restarts.keys().copied().collect();
    if !of_all.is_empty() {
        organizations.extend(table::organizations(store, Vec::new()).await?);
    }
    let mut any_failed = false;
    for organization in organizations {
        let receipts = restarts
            .remove(&organization)
            .unwrap_or_default();
        terminal::say(&format!("{organization}\tfeed restarted"));
        if let Err(error) = index_records::restart(store, organization).await {
            any_failed = true;
            kept += receipts.len();
            terminal::fail(&format!("organization {organization}: {error}"));
            queue.show(receipts).await?;
        } else {
            handled += receipts.len();
            queue.delete(receipts).await?;
        }
    }
    if any_failed {
        kept += of_all.len();
        queue.show(of_all).await?;
        return Ok((handled, kept.max(1)));
    }
    handled += of_all.len();
    queue.delete(of_all).await?;
    Ok((handled, kept))
}

/// The queue of the messages.
struct Queue {
    sqs: Client,
    url: String,
}

impl Queue {
    /// Reads all messages. Returns false with the first [`MOST`] if there may be more.
    async fn read(&self, wait: i32) -> Result<(Work, bool), Error> {
        let mut work = Work::default();
        let mut read = 0;
        while read < MOST {
            let receive = self
                .sqs
                .receive_message()
                .queue_url(&self.url);
            let receive = receive
                .max_number_of_messages(AT_ONCE)
                .wait_time_seconds(wait);
            let received = receive
                .visibility_timeout(HIDDEN)
                .send()
                .await;
            let messages = received.map_err(failed)?.messages;
            let messages = messages.unwrap_or_default();
            if messages.is_empty() {
                return Ok((work, true));
            }
            read += messages.len();
            for message in messages {
                work.add(message);
            }
        }
        Ok((work, false))
    }

    async fn delete(&self, receipts: Vec<String>) -> Result<(), Error> {
        for receipt in receipts {
            let delete = self
                .sqs
                .delete_message()
                .queue_url(&self.url);
            let deleted = delete
                .receipt_handle(receipt)
                .send()
                .await;
            deleted.map_err(failed)?;
        }
        Ok(())
    }

    /// Shows messages that stay in the queue again.
    async fn show(&self, receipts: Vec<String>) -> Result<(), Error> {
        for receipt in receipts {
            let change = self
                .sqs
                .change_message_visibility()
                .queue_url(&self.url);
            let change = change
                .receipt_handle(receipt)
                .visibility_timeout(0);
            change.send().await.map_err(failed)?;
        }
        Ok(())
    }
}

impl Work {
    fn add(&mut self, message: Message) {
        let receipt = message
            .receipt_handle
            .unwrap_or_default();
        let letter = message
            .body
            .as_deref()
            .map(serde_json::from_str);
        let letter: Letter = letter
            .and_then(Result::ok)
            .unwrap_or_default();
        let organization = letter.organization_id;
        let organization = organization.or_else(|| owner(letter.item.as_deref()?));
        let receipts = match (organization, letter.item) {
            (Some(organization), Some(item)) => self
                .items
                .entry((organization, item))
                .or_default(),
            (Some(organization), None) => self
                .restarts
                .entry(organization)
                .or_default(),
            (None, _) => &mut self.of_all,
        };
        receipts.push(receipt);
    }
}

fn failed(error: impl Into<aws_sdk_sqs::Error>) -> Error {
    let error: aws_sdk_sqs::Error = error.into();
    Error::Invalid(format!("the queue: {error}"))
}

fn seconds(text: &str) -> Result<i32, Error> {
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| (0..=LONGEST_WAIT).contains(seconds));
    let wrong = || format!("--wait: {text} is not a number from 0 to {LONGEST_WAIT}");
    seconds.ok_or_else(|| Error::Invalid(wrong()))
}

/// Returns the organization in an item's key.
fn owner(item: &str) -> Option<OrganizationId> {
    let id = item
        .strip_prefix("ORG#")?
        .split(['#', ' '])
        .next()?;
    OrganizationId::new(id.parse().ok()?)
}
