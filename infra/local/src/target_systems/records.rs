//! What the demo target systems keep. Amounts are in the currency's minor unit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that survives a restart.
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
    /// Events that the customer's meter sent and billing never saw.
    pub(crate) missing_usage_events: u64,
    /// Whether what changed last had reached billing when it was to be sent; `delivery_failed` if not.
    #[serde(default)]
    pub(crate) last_sync_error: Option<String>,
    /// Billing makes no invoices for the account until somebody looked at it.
    #[serde(default)]
    pub(crate) parked: bool,
    /// Why it was parked.
    #[serde(default)]
    pub(crate) parked_reason: Option<String>,
    /// Whether that is so still.
    #[serde(default)]
    pub(crate) parked_reason_gone: bool,
    /// What the next invoice comes to.
    #[serde(default)]
    pub(crate) unbilled_amount: u64,
    #[serde(default)]
    pub(crate) currency: Option<String>,
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
    /// Events that are in it twice.
    #[serde(default)]
    pub(crate) duplicate_events: u64,
    /// What ended its processing, if something did.
    #[serde(default)]
    pub(crate) last_error: Option<String>,
    /// Whether an invoice has it.
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
    /// The invoice that bills the same.
    #[serde(default)]
    pub(crate) duplicate_of: Option<String>,
    /// Units that it bills, at this amount each.
    #[serde(default)]
    pub(crate) quantity: u64,
    #[serde(default)]
    pub(crate) unit_amount: u64,
    /// Units that the meter counted.
    #[serde(default)]
    pub(crate) metered_quantity: u64,
    /// Why it was not finalized, if somebody tried.
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
    /// What the processor says of it, which it may not have told.
    #[serde(default)]
    pub(crate) processor_state: Option<PaymentState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PaymentState {
    Failed,
    Succeeded,
    Cancelled,
    /// The processor did not say what became of it.
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
    /// The last day on which it can be answered.
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
    /// What it answered the last test.
    pub(crate) last_status: u16,
    /// Webhooks that it did not take.
    pub(crate) undelivered: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) customer_id: String,
    pub(crate) template: String,
    /// The whole request, with whatever else it said.
    pub(crate) content: Value,
}

/// Something that really happened in a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// Counts from 1.
    pub id: u64,
    /// `billing`, `payments` or `notifications`.
    pub system: String,
    /// Method and path template, such as `POST /invoices/{id}/void`.
    pub operation: String,
    /// Id of what was changed or created.
    pub entity: String,
    /// The key that came with the call, whether the system honours it or not.
    pub idempotency_key: Option<String>,
    /// When it took place, RFC 3339.
    pub at: String,
}

/// An answer that is given again to whoever sends the same key: that of a call which took effect.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredAnswer {
    /// The request that it answered: a key belongs to one request.
    pub(crate) path: String,
    pub(crate) request: Value,
    pub(crate) status: u16,
    pub(crate) body: Value,
}
