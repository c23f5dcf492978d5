//! Integer ids, reserved in blocks.

use std::{collections::HashMap, sync::Arc};

use aws_sdk_dynamodb::types::AttributeValue;
use model::{
    Activity, ActivityId, AgentSession, AgentSessionId, Comment, CommentId, Error, Id, Milestone,
    MilestoneId, Organization, OrganizationId, Phase, PhaseId, Project, ProjectId, ServiceRequest,
    ServiceRequestId, Signal, SignalId, Tag, TagId, Task, TaskId, Ticket, TicketId, TicketMessage,
    TicketMessageId, Token, TokenId, User, UserId,
};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::{
    Store, key,
    table::{IntoAttribute, Read, Record, Table},
};

/// The largest block that an instance reserves.
const LARGEST_BLOCK: i64 = 64;

/// Ids of records of one kind.
pub(super) trait IdOf: Id {
    /// Stands in the records as `kind`.
    const KIND: &'static str;
}

macro_rules! ids {
    ($($record:ty: $id:ty),* $(,)?) => {$(
        impl IdOf for $id {
            const KIND: &'static str = <$record as Record>::KIND;
        }

        impl IntoAttribute for $id {
            fn into_attribute(self) -> AttributeValue {
                self.get().into_attribute()
            }
        }
    )*};
}

ids! {
    Organization: OrganizationId,
    User: UserId,
    Project: ProjectId,
    Phase: PhaseId,
    Tag: TagId,
    Milestone: MilestoneId,
    Task: TaskId,
    Activity: ActivityId,
    Comment: CommentId,
    ServiceRequest: ServiceRequestId,
    Ticket: TicketId,
    TicketMessage: TicketMessageId,
    Signal: SignalId,
    AgentSession: AgentSessionId,
    Token: TokenId,
}

/// Gives out ids. An instance reserves one at first and twice as many each time it runs out, so
/// that a quiet service leaves no gaps and a busy one spends no extra write per record.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids(Arc<Mutex<HashMap<&'static str, Arc<Reserved>>>>);

/// The ids that are left of one kind. Who reserves more of them holds up nobody who needs another
/// kind.
type Reserved = Mutex<Block>;

/// The last id that was given out for a kind of record.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Counter {
    last: i64,
}

#[derive(Debug)]
struct Block {
    next: i64,
    last: i64,
    size: i64,
}

/// None is reserved yet.
impl Default for Block {
    fn default() -> Self {
        Self {
            next: 1,
            last: 0,
            size: 0,
        }
    }
}

impl Store {
    /// An id for a new record, unique across organizations and instances. One that is not used
    /// after all leaves a gap.
    pub(super) async fn next_id<I: IdOf>(&self) -> Result<I, Error> {
        let number = self.ids.next(&self.table, I::KIND).await?;
        I::new(number).ok_or_else(|| Error::internal("reserving an id", "no id is left below 2^53"))
    }

    /// The last id that was given out; 0 when none was. There may be no record of it.
    pub(super) async fn last_id<I: IdOf>(&self) -> Result<i64, Error> {
        let key = key::counter(I::KIND);
        let counter = self.table.get(&key, Read::Consistent).await?;
        Ok(counter.map_or(0, |counter| counter.last))
    }
}

impl Ids {
    async fn next(&self, table: &Table, kind: &'static str) -> Result<i64, Error> {
        let reserved = self.0.lock().await.entry(kind).or_default().clone();
        let mut block = reserved.lock().await;
        if block.next > block.last {
            let size = (block.size * 2).clamp(1, LARGEST_BLOCK);
            let last = table.add(key::counter(kind).into(), "last", size).await?;
            *block = Block {
                next: last - size + 1,
                last,
                size,
            };
        }
        let number = block.next;
        block.next += 1;
        Ok(number)
    }
}
