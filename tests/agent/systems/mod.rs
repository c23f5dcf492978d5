//! Doubles of Lago, Chargebee and Stripe, by their public documents. Each test has its own, on a
//! port of its own.
//!
//! A double keeps records and takes calls as the system does: ids, pages, error bodies, idempotency
//! keys and rate limits. Its reads may lag behind its writes. [`Person`] changes records past the
//! agent.

mod book;
mod chargebee;
mod desk;
mod lago;
mod stripe;
mod tests;
mod wire;

pub use self::{
    book::Book,
    chargebee::Chargebee,
    desk::{Bank, Double, Lag, SECRET},
    lago::Lago,
    stripe::Stripe,
};

use serde_json::Value;

/// A change of records that a person, a customer or a bank makes past the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A credit of half of the debt lowers the debt.
    CreditedInPart,
    /// A credit ends the debt.
    CreditedInFull,
    /// Another payment took the whole debt. The invoice does not show it yet.
    PaidUnbooked,
    /// Another payment took the whole debt, and the invoice shows it.
    PaidBooked,
    /// Another payment of the whole debt is under way.
    PaymentUnderWay,
    /// The debt is in euros.
    OtherCurrency,
    /// The debt is another customer's.
    OtherCustomer,
    /// The debt is a tenth of what it was.
    SmallerDebt,
    /// The debt is ten times what it was.
    LargerDebt,
    /// An earlier payment of the whole debt succeeded, and was given back at the processor.
    Refunded,
    /// The customer's bank took an earlier payment back.
    Disputed,
    /// The invoice is void.
    Voided,
}

/// A system with one unpaid invoice, and what can happen to it.
pub trait Person {
    /// The double.
    fn double(&self) -> &Double;

    /// The connections: the system's own, and then others that it charges through. Each is as the
    /// README shows it, without `baseUrl` and `secret`.
    fn connections(&self) -> Vec<(&'static str, &Double, Value)>;

    /// Adds an unpaid invoice whose payment failed. The system does not retry it by itself. Returns
    /// its id.
    fn unpaid(&self, number: u32, amount: i64) -> String;

    /// The entities of an alert about the invoice.
    fn entities(&self, invoice: &str) -> Vec<(&'static str, String)>;

    /// Changes the invoice.
    fn change(&self, invoice: &str, change: Change);
}
