//! Open work of a session: the actions that a user still has to approve or settle.

use crate::{
    action::ActionState,
    session::{AgentSession, AgentSessionStatus, ProposedAction},
};
use model::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenWork {
    /// An automated action can be approved.
    Approve,
    /// An automated action is certainly not done, and can be approved again.
    ApproveAgain,
    /// The outcome of an automated action is unknown. A user settles it.
    Judge,
    /// A manual action is neither settled nor handed over.
    ByHand,
}

impl OpenWork {
    /// True if it is an approval. The actions of a resolved alert are not approved.
    pub const fn is_approval(self) -> bool {
        matches!(self, Self::Approve | Self::ApproveAgain)
    }
}

impl AgentSession {
    /// Returns the actions with open work at `now`, in the order of the proposal. `is_resolved` says
    /// that its alert is resolved.
    pub fn open_actions(
        &self,
        is_resolved: bool,
        now: Timestamp,
    ) -> impl Iterator<Item = (&ProposedAction, OpenWork)> {
        let all = self.plan.proposed_actions.iter();
        let open = all.filter_map(move |action| Some((action, self.open_work(action, now)?)));
        open.filter(move |(_, work)| !(is_resolved && work.is_approval()))
    }

    /// True if it belongs in the list of open work, as of its last write.
    pub fn has_open_work(&self) -> bool {
        let mut open = self.open_actions(false, self.times.updated_at);
        self.status == AgentSessionStatus::AwaitingConfirmation || open.next().is_some()
    }

    /// Returns until when its actions can be approved. A proposal can be approved for 24 hours, however long a manual
    /// action keeps the session open. After the end, other actions can be approved for as long.
    pub fn approvable_until(&self, now: Timestamp) -> Option<Timestamp> {
        let awaits = self.status_at(now) == AgentSessionStatus::AwaitingConfirmation;
        let mut open = self.open_actions(false, now);
        let is_open = awaits || open.any(|(_, work)| work.is_approval());
        let until = self.times.approvable_until.filter(|until| now < *until);
        until.filter(|_| is_open)
    }

    /// Returns the actions that can be approved, in at most `most` characters, and until when. None if
    /// there are none. Descriptions name the records and the amount.
    pub fn approval_request(&self, most: usize, now: Timestamp) -> Option<String> {
        let until = self.approvable_until(now)?.to_string().replace('T', " ");
        let until = until.chars().take("2026-01-15 14:05".len());
        let until = format!(", until {} UTC", until.collect::<String>());
        let open = self.open_actions(false, now);
        let open = open.filter(|(_, work)| work.is_approval());
        let mut actions = open.map(|(action, _)| first_sentence(&action.content.description));
        let first = actions.next()?;
        let others: Vec<&str> = actions.collect();
        let mut text = [&[first], others.as_slice()].concat().join("; ");
        if text.chars().count() + until.len() > most {
            let more = match others.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let room = most.saturating_sub(until.len() + more.len());
            let is_long = first.char_indices().nth(room).is_some();
            let cut = first.chars().take(room.saturating_sub(1)).chain(['…']);
            text = if is_long {
                cut.collect()
            } else {
                first.to_owned()
            };
            text.push_str(&more);
        }
        Some(text + &until)
    }

    pub fn is_approved(&self, action_id: &str) -> bool {
        let mut approved = self.plan.approved.iter().flatten();
        approved.any(|id| id == action_id)
    }

    fn open_work(&self, action: &ProposedAction, now: Timestamp) -> Option<OpenWork> {
        use AgentSessionStatus::{AwaitingConfirmation, Completed, Failed};
        let status = self.status_at(now);
        if !action.is_automated {
            return (status.keeps_handlings() && action.handling.is_none())
                .then_some(OpenWork::ByHand);
        }
        let shortfall = self.plan.shortfall.get(&action.id);
        if shortfall == Some(&ActionState::Unknown) {
            // The agent checks it.
            let is_awaited = self.plan.awaited.contains_key(&action.id);
            return (!is_awaited).then_some(OpenWork::Judge);
        }
        let is_in_time = self.times.approvable_until.is_some_and(|until| now < until);
        let stands = matches!(status, AwaitingConfirmation | Completed | Failed);
        let stands = (stands || self.plan.awaits_outcome) && !self.plan.superseded;
        let is_void = self.plan.void.contains(&action.id);
        if !stands || !is_in_time || is_void {
            return None;
        }
        match shortfall {
            Some(_) => Some(OpenWork::ApproveAgain),
            None if self.is_approved(&action.id) => None,
            None => Some(OpenWork::Approve),
        }
    }
}

/// Returns the first sentence of a description, without its full stop.
fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = text.get(..end).unwrap_or(text);
    sentence.strip_suffix('.').unwrap_or(sentence)
}
