//! The kinds of actions, with their effects and risks; their names and states.

use model::{
    base::{AgentSessionId, OrganizationId},
    names,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::alert::Money;

names! {
    /// The kind of an action. Playbooks choose from this catalogue.
    pub enum ActionType = "an action type" {
        /// Process a usage batch again.
        ReprocessUsageBatch,
        /// Send usage events again.
        ResendUsageEvents,
        /// Charge an invoice again.
        RetryInvoice,
        /// Compute a draft invoice again, without finalizing it.
        RefreshInvoice,
        /// Finalize a draft invoice, so that the customer owes it.
        FinalizeInvoice,
        /// Retry a payment.
        RetryPayment,
        /// Void an invoice.
        VoidInvoice,
        /// Issue a credit note.
        IssueCreditNote,
        /// Generate a missing invoice.
        GenerateInvoice,
        /// Resume the billing of an account that billing had suspended.
        ResumeBilling,
        /// Compute a draft invoice again from the metered usage.
        RecomputeInvoice,
        /// Ask the processor for a payment's outcome and record it.
        ReconcilePayment,
        /// Remove usage that is in a batch twice.
        RemoveDuplicateUsage,
        /// Pause the collection of an invoice and its reminders.
        PauseCollection,
        /// Resume the collection of an invoice that was paused.
        ResumeCollection,
        /// Deliver webhooks that were not delivered.
        ResendWebhooks,
        /// Synchronize a customer between systems.
        SyncCustomer,
        /// Send a customer a message.
        NotifyCustomer,
        /// A person reviews the case.
        ManualReview,
    }
}

impl ActionType {
    /// True if it fixes something in a target system, as neither a message nor a review does.
    pub const fn is_fix(self) -> bool {
        !matches!(self, Self::NotifyCustomer | Self::ManualReview)
    }

    /// True if it changes an invoice, its collection or its payment.
    pub const fn changes_invoice(self) -> bool {
        matches!(
            self,
            Self::RetryInvoice
                | Self::RefreshInvoice
                | Self::FinalizeInvoice
                | Self::RetryPayment
                | Self::VoidInvoice
                | Self::IssueCreditNote
                | Self::RecomputeInvoice
                | Self::ReconcilePayment
                | Self::PauseCollection
                | Self::ResumeCollection
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MoneyMoved {
    pub direction: MoneyDirection,
    /// The amount; null if it is unknown, or known only with a later invoice.
    pub amount: Option<Money>,
}

names! {
    /// The direction in which an action moves money.
    pub enum MoneyDirection {
        /// A claim on the customer shrinks or ends, such as by voiding an invoice.
        CustomerOwesLess,
        /// A claim on the customer arises or grows, such as by finalizing an invoice.
        CustomerOwesMore,
        /// Money is taken from the customer.
        CustomerPays,
        /// Money goes back to the customer.
        CustomerIsRepaid,
        /// Usage reaches a later invoice. Its amount is not known before.
        CustomerIsBilledLater,
    }
}

impl MoneyDirection {
    /// True if money itself is transferred, which may take time.
    pub const fn is_transfer(self) -> bool {
        matches!(self, Self::CustomerPays | Self::CustomerIsRepaid)
    }
}

/// The reversibility of an action, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reversible {
    pub is: Reversibility,
    /// The way to undo it, and until when; or why it cannot be undone.
    pub says: String,
}

names! {
    /// The reversibility of an action.
    pub enum Reversibility {
        /// At any time.
        Yes,
        /// For a while.
        Until,
        /// Not at all. The risk is critical.
        No,
    }
}

names! {
    /// The risk of an action.
    pub enum Risk = "a risk" {
        /// No harm that matters.
        Low,
        /// Harm that is easily fixed.
        Medium,
        /// A customer notices.
        High,
        /// Cannot be undone.
        Critical,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionKey {
    pub organization_id: OrganizationId,
    pub session_id: AgentSessionId,
    pub action_id: String,
}

impl ActionKey {
    pub fn new(
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        action_id: impl Into<String>,
    ) -> Self {
        Self {
            organization_id,
            session_id,
            action_id: action_id.into(),
        }
    }
}

names! {
    /// The state of an approved action. The last four are outcomes.
    pub enum ActionState {
        /// Waits for a worker.
        Queued,
        /// Claimed by a worker.
        Running,
        /// Done.
        Succeeded,
        /// Certainly not done; may run again.
        Failed,
        /// Possibly done: no answer and no check has told.
        Unknown,
        /// Nothing was changed: it was cancelled before it started, or it was blocked, for example
        /// by a precondition.
        Skipped,
    }
}

impl ActionState {
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// True if it may run again.
    pub const fn is_not_done(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }
}
