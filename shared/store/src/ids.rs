//! Integer ids, reserved in blocks.

use std::{collections::HashMap, sync::Arc};

use agent::{AgentSession, Alert};
use model::{
    Activity, ActivityId, AgentSessionId, AlertId, Comment, CommentId, Error, Id, Milestone,
    MilestoneId, Organization, OrganizationId, Phase, PhaseId, Project, ProjectId, ServiceRequest,
    ServiceRequestId, Tag, TagId, Task, TaskId, Ticket, TicketId, TicketMessage, TicketMessageId,
    Token, TokenId, User, UserId, Webhook, WebhookId,
};
use tokio::sync::Mutex;

use super::{
    key,
    table::{Record, Table},
};

/// The largest block that an instance reserves.
const LARGEST_BLOCK: i64 = 64;

/// An id of a kind of record.
pub(super) trait IdOf: Id {
    /// The attribute `kind` of its records.
    const KIND: &'static str;
}

macro_rules! ids {
    ($($record:ty: $id:ty),* $(,)?) => {$(
        impl IdOf for $id {
            const KIND: &'static str = <$record as Record<crate::Workdesk>>::KIND;
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
    Alert: AlertId,
    AgentSession: AgentSessionId,
    Token: TokenId,
    Webhook: WebhookId,
}

/// Gives out ids. An instance reserves one id at first, and twice as many each time it runs out. So
/// a quiet service leaves no gaps, and a busy one needs no extra write per record.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids(Arc<Mutex<HashMap<&'static str, Arc<Reserved>>>>);

/// The reserved ids of one kind. Each kind has its own lock, so that kinds do not wait for each other.
type Reserved = Mutex<Block>;

#[derive(Debug)]
struct Block {
    next: i64,
    last: i64,
    size: i64,
}

/// No id is reserved.
impl Default for Block {
    fn default() -> Self {
        Self {
            next: 1,
            last: 0,
            size: 0,
        }
    }
}

impl Ids {
    /// Returns the next id of a kind.
    pub(super) async fn next(&self, table: &Table, kind: &'static str) -> Result<i64, Error> {
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
