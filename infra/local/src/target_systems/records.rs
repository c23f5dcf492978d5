//! Records of the demo target systems. Amounts are in the currency's minor unit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All state that survives a restart.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Records {
    pub(crate) customers: BTreeMap<String, Customer>,
    pub(crate) usage_batches: BTreeMap<String, UsageBatch>,
    pub(crate) invoices: BTreeMap<String, Invoice>,
    pub(crate) payments: BTreeMap<String, Payment>,
    #[serde(default)]
    pub(crate) disputes: BTreeMap<String, Dispute>,
    #[serde(default)]
    pub(crate) webhook_endpoints: BTreeMap<String, WebhookEndpoint>,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) effects: Vec<Effect>,
    /// Answers by system and idempotency key.
    #[serde(default)]
    pub(crate) stored_answers: BTreeMap<String, StoredAnswer>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Customer {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) plan: String,
    pub(crate) sync_state: SyncState,
    /// Number of usage events that never arrived at billing.
    pub(crate) missing_usage_events: u64,
    /// `delivery_failed` if the last change did not reach billing.
    #[serde(default)]
    pub(crate) last_sync_error: Option<String>,
    /// True if the CRM and billing both changed the same value.
    #[serde(default)]
    pub(crate) sync_conflict: bool,
    /// The invoice that was generated last, if any.
    #[serde(default)]
    pub(crate) last_invoice: Option<LastInvoice>,
    /// True while billing creates no invoices for the account.
    #[serde(default)]
    pub(crate) parked: bool,
    /// Reason why it was parked.
    #[serde(default)]
    pub(crate) parked_reason: Option<String>,
    /// True once that reason is gone.
    #[serde(default)]
    pub(crate) parked_reason_gone: bool,
    /// Amount of the next invoice.
    #[serde(default)]
    pub(crate) unbilled_amount: u64,
    #[serde(default)]
    pub(crate) currency: Option<String>,
}

/// The invoice of a customer that was generated last.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LastInvoice {
    pub(crate) id: String,
    pub(crate) amount_due: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SyncState {
    InSync,
    OutOfSync,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsageBatch {
    pub(crate) customer_id: String,
    pub(crate) period: String,
    pub(crate) events: u64,
    pub(crate) state: UsageBatchState,
    /// Number of events that are in the batch twice.
    #[serde(default)]
    pub(crate) duplicate_events: u64,
    /// Minutes since its processing made progress.
    #[serde(default)]
    pub(crate) minutes_since_progress: u64,
    /// Error that ended its processing, if any.
    #[serde(default)]
    pub(crate) last_error: Option<String>,
    /// True if an invoice contains it.
    #[serde(default)]
    pub(crate) invoiced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UsageBatchState {
    Processing,
    Failed,
    Processed,
    Archived,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invoice {
    pub(crate) customer_id: String,
    pub(crate) number: String,
    pub(crate) amount_due: u64,
    pub(crate) currency: String,
    pub(crate) state: InvoiceState,
    #[serde(default)]
    pub(crate) amount_paid: u64,
    #[serde(default)]
    pub(crate) amount_credited: u64,
    /// Period that it bills.
    #[serde(default)]
    pub(crate) period: Option<String>,
    /// True while a bank disputes a payment of it.
    #[serde(default)]
    pub(crate) disputed: bool,
    /// Amount that a draft has once it is computed again; none if it is up to date. Finalizing
    /// computes it again too, as many systems do.
    #[serde(default)]
    pub(crate) refreshed_amount_due: Option<u64>,
    /// True while it is a draft with an outdated amount.
    #[serde(default)]
    pub(crate) ready_to_be_refreshed: bool,
    /// Invoice that bills the same.
    #[serde(default)]
    pub(crate) duplicate_of: Option<String>,
    /// Billed units, at `unit_amount` each.
    #[serde(default)]
    pub(crate) quantity: u64,
    #[serde(default)]
    pub(crate) unit_amount: u64,
    /// Metered units.
    #[serde(default)]
    pub(crate) metered_quantity: u64,
    /// Error of the last attempt to finalize it, if any.
    #[serde(default)]
    pub(crate) finalization_error: Option<String>,
    #[serde(default)]
    pub(crate) collection_paused: bool,
    #[serde(default)]
    pub(crate) credit_notes: Vec<CreditNote>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InvoiceState {
    Draft,
    Open,
    Paid,
    Void,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreditNote {
    pub(crate) id: String,
    pub(crate) amount: u64,
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) state: CreditNoteState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CreditNoteState {
    #[default]
    Issued,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payment {
    pub(crate) invoice_id: String,
    pub(crate) amount: u64,
    pub(crate) currency: String,
    pub(crate) state: PaymentState,
    #[serde(default)]
    pub(crate) failure: Option<String>,
    /// Amount that was taken from the customer.
    #[serde(default)]
    pub(crate) amount_captured: u64,
    /// State at the processor; none if the processor does not report it.
    #[serde(default)]
    pub(crate) processor_state: Option<PaymentState>,
    /// Amount that the processor has taken; none if it does not report it.
    #[serde(default)]
    pub(crate) processor_amount: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PaymentState {
    Failed,
    Succeeded,
    Cancelled,
    /// The processor did not report the outcome.
    Unknown,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dispute {
    pub(crate) payment_id: String,
    pub(crate) invoice_id: String,
    pub(crate) amount: u64,
    pub(crate) currency: String,
    pub(crate) reason: String,
    pub(crate) state: DisputeState,
    /// Last day for a response.
    pub(crate) respond_by: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DisputeState {
    NeedsResponse,
    UnderReview,
    Won,
    Lost,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookEndpoint {
    pub(crate) url: String,
    pub(crate) enabled: bool,
    /// HTTP status of its answer to the last test.
    pub(crate) last_status: u16,
    /// Number of undelivered webhooks.
    pub(crate) undelivered: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) customer_id: String,
    pub(crate) template: String,
    /// Body of the request.
    pub(crate) content: Value,
}

/// A change that took place in a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// Id, counted from 1.
    pub id: u64,
    /// `billing`, `payments` or `notifications`.
    pub system: String,
    /// Method and path template, such as `POST /invoices/{id}/void`.
    pub operation: String,
    /// Id of the changed or created entity.
    pub entity: String,
    /// Idempotency key of the call, even if the system ignores it.
    pub idempotency_key: Option<String>,
    /// Instant of the change, RFC 3339.
    pub at: String,
}

/// An answer that is replayed for calls with the same idempotency key: that of a call with an
/// effect, or of a fault with `kept`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredAnswer {
    /// Path of the answered request; a key belongs to one request.
    pub(crate) path: String,
    pub(crate) request: Value,
    pub(crate) status: u16,
    pub(crate) body: Value,
}
