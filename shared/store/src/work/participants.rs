//! Participants: the users who wrote in a thread. A comment or a message writes its author's, in
//! its own transaction, unless it is there.

use std::collections::BTreeMap;

use model::{
    base::{Id, RecordType, Talk, UserId},
    work::{Comment, TicketMessage},
};
use table::{AnyKey, Batch, Record, Write};

use crate::{
    Result, Tenant,
    base::{Store, record::record, records::Participant},
    key,
    updates::FeedChange,
};

/// The most participants who are notified: as many as the users among whom approvers are found.
const MOST: usize = 1_000;

record! {
    participant: Participant = "participant",
    key: key::participant(participant.organization_id, participant.talk, participant.user_id),
}

impl From<&Comment> for Participant {
    fn from(comment: &Comment) -> Self {
        Self {
            organization_id: comment.organization_id,
            talk: comment.thread.into(),
            user_id: comment.user_id,
            first_id: comment.id.get(),
            at: comment.created_at,
        }
    }
}

impl From<&TicketMessage> for Participant {
    fn from(message: &TicketMessage) -> Self {
        Self {
            organization_id: message.organization_id,
            talk: message.ticket_id.into(),
            user_id: message.user_id,
            first_id: message.id.get(),
            at: message.created_at,
        }
    }
}

impl Participant {
    /// The author of a comment or a message that a change wrote.
    fn of(change: &FeedChange) -> Option<Self> {
        match *change.entry.of.kind {
            RecordType::Comment => change
                .after::<Comment>()
                .map(|comment| Self::from(&comment)),
            RecordType::TicketMessage => change
                .after::<TicketMessage>()
                .map(|message| Self::from(&message)),
            _ => None,
        }
    }

    /// The write of a participant whom a batch with [their key](key::participant) does not have.
    pub(crate) fn joins(&self, batch: &Batch) -> Result<Option<Write>> {
        let is_known = batch.has(&self.key());
        (!is_known)
            .then(|| Write::create(self))
            .transpose()
    }
}

impl Store {
    /// Adds the authors of comments and messages, of which the changes are in the order of their
    /// writes. Participants who are there are only read.
    pub(crate) async fn add_participants(&self, changes: &[FeedChange]) -> Result<()> {
        let mut first: BTreeMap<(Talk, UserId), Participant> = BTreeMap::new();
        for participant in changes
            .iter()
            .filter_map(Participant::of)
        {
            let place = (participant.talk, participant.user_id);
            first
                .entry(place)
                .or_insert(participant);
        }
        let keys = first
            .values()
            .map(|participant| AnyKey::from(participant.key()));
        let batch = self.batch(keys).await?;
        for participant in first.values() {
            if let Some(write) = participant.joins(&batch)? {
                // Refused when a comment has just added the author.
                let _ = self.table.write(write).await?;
            }
        }
        Ok(())
    }

    /// The participants of a thread, in the order of their ids.
    pub(crate) async fn participants(&self, tenant: Tenant, on: Talk) -> Result<Vec<Participant>> {
        let participants = key::participants(tenant, on);
        self.table
            .list(participants.limit(MOST))
            .await
    }
}
