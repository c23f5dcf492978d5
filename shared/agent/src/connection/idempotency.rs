//! Idempotency keys of a target system, and its treatment of repeated calls.

use model::{
    base::{
        input::{Defaulted, InputPlace, OneOf},
        span,
    },
    input, names,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::connection::{HeaderName, KeyName, Period};

use super::words::{is_own, not_so};

/// A target system's treatment of a repeated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idempotency {
    /// Honours idempotency keys: a call repeated with the same key takes effect once.
    Keyed,
    /// Performs a repeated call again. A call that may have arrived is never repeated.
    Unkeyed,
}

input! {
    /// The place of idempotency keys, and the system's treatment of a repeated key.
    #[derive(PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct IdempotencyKeys {
        /// The part of a call that carries the key.
        r#in: KeyPlace,
        /// The name of the header, body member or query parameter.
        name: KeyName,
        /// The system's answer to a repeated key.
        replays: Defaulted<Replays>,
        /// The time for which the system keeps a key. Later it performs the call again. Ten minutes
        /// when absent. Stripe: `24h`; Chargebee: `30m`.
        kept_for: Option<Period>,
        /// The header that marks a replayed answer, unless its value is `false`.
        replayed_header: Option<HeaderName>,
    }
    check(r#in, name) names_its_place;
    check(replays, replayed_header) replays_what_it_marks;
    example {"in": "header", "name": "Idempotency-Key", "replays": "all", "keptFor": "24h"};
}

impl IdempotencyKeys {
    /// Milliseconds for which a key counts if the connection does not say it.
    pub(super) const KEPT: i64 = 10 * span::MINUTE;
}

names! {
    /// The part of a call that carries its idempotency key.
    pub enum KeyPlace = "a place of the key" {
        /// A header.
        Header,
        /// A member of the body.
        Body,
        /// A parameter of the query.
        Query,
    }
}

/// A system's answer to a call with a repeated idempotency key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replays {
    /// The first answer again, if the system kept it. Otherwise it performs the call.
    // The alias once named a system that keeps only successes. The difference had no effect.
    #[default]
    #[serde(alias = "successes")]
    All,
    /// A refusal. A call without a clear answer is repeated only once.
    None,
}

impl OneOf for Replays {
    const NOUN: &'static str = "a way of replaying";
}

fn names_its_place(r#in: Option<&KeyPlace>, name: Option<&KeyName>, place: &mut InputPlace<'_>) {
    if r#in == Some(&KeyPlace::Header) && name.is_some_and(|name| is_own(name)) {
        not_so(place.at("name"), "The service sets this header itself.");
    }
}

fn replays_what_it_marks(
    replays: Option<&Defaulted<Replays>>,
    header: Option<&Option<HeaderName>>,
    place: &mut InputPlace<'_>,
) {
    let replays_none = replays.is_some_and(|replays| replays.0 == Replays::None);
    if replays_none && header.is_some_and(Option::is_some) {
        let detail = "`replayedHeader` needs `replays: all`.";
        not_so(place.at("replayedHeader"), detail);
    }
}
