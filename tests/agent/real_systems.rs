//! The agent with Lago, Chargebee and Stripe: what it proposes for each change of a debt, and whole
//! stories from the alert to its end.

use Proposes::{Automated, Manual};
use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Concierge, check_of, says};

use crate::systems::{Bank, Change, Chargebee, Double, Lag, Lago, Person, SECRET, Stripe};

const DEBT: i64 = 10_000;

/// The proposal of the agent: an automated action that moves so much, or only manual ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proposes {
    Automated(i64),
    Manual,
}

/// The end of the proposal, if a debt was changed before it. In each row, the first change is the
/// one that happened to the debt.
const OF_BILLING: [(Option<Change>, Proposes); 13] = [
    (None, Automated(DEBT)),
    (Some(Change::CreditedInPart), Automated(DEBT / 2)),
    (Some(Change::CreditedInFull), Manual),
    (Some(Change::PaidUnbooked), Manual),
    (Some(Change::PaidBooked), Manual),
    (Some(Change::PaymentUnderWay), Manual),
    (Some(Change::OtherCurrency), Manual),
    (Some(Change::OtherCustomer), Manual),
    (Some(Change::SmallerDebt), Automated(DEBT / 10)),
    (Some(Change::LargerDebt), Automated(DEBT * 10)),
    (Some(Change::Refunded), Manual),
    (Some(Change::Disputed), Manual),
    (Some(Change::Voided), Manual),
];

/// Stripe's payment intent keeps the amount of the failed try. Only that amount would be tried
/// again.
const OF_STRIPE: [(Option<Change>, Proposes); 13] = [
    (None, Automated(DEBT)),
    (Some(Change::CreditedInPart), Manual),
    (Some(Change::CreditedInFull), Manual),
    (Some(Change::PaidUnbooked), Manual),
    (Some(Change::PaidBooked), Manual),
    (Some(Change::PaymentUnderWay), Manual),
    (Some(Change::OtherCurrency), Manual),
    (Some(Change::OtherCustomer), Manual),
    (Some(Change::SmallerDebt), Manual),
    (Some(Change::LargerDebt), Manual),
    (Some(Change::Refunded), Manual),
    (Some(Change::Disputed), Manual),
    (Some(Change::Voided), Manual),
];

/// A world that is connected to a system, with a session on an alert about one of its records.
struct Case<P> {
    world: Concierge,
    system: P,
}

/// A session, and its automated action.
struct Proposed {
    session: Value,
    action: Option<String>,
    moves: Proposes,
}

impl<P: Person> Case<P> {
    async fn connected(world: Concierge, system: P) -> Self {
        let ada = world.api.sign_in("ada").await;
        for (name, double, mut connection) in system.connections() {
            connection["baseUrl"] = double.url.clone().into();
            connection["secret"] = SECRET.into();
            ada.puts(&format!("/api/concierge/connections/{name}"), connection)
                .await;
        }
        Self { world, system }
    }

    fn double(&self) -> &Double {
        self.system.double()
    }

    /// Records an alert about records, opens a session on it, and has actions proposed.
    async fn proposed(&self, signal: &str, entities: &[(&'static str, String)]) -> Proposed {
        let (name, ..) = self.system.connections()[0];
        let entities: Vec<Value> = entities
            .iter()
            .map(|(kind, id)| json!({"type": kind, "id": id}))
            .collect();
        let alert = json!({
            "source": "relay", "externalId": entities[0]["id"], "signalType": signal,
            "severity": "error", "title": format!("{signal} of {}", entities[0]["id"]),
            "targetSystem": name, "entities": entities,
        });
        let sue = self.world.api.sign_in("sue").await;
        let alert = sue
            .creates("/api/concierge/alerts", alert)
            .await;
        let path = format!("/api/concierge/alerts/{alert}/agent-session");
        let session = self.world.max.triggers(&path).await["session"]["id"].clone();
        self.world.proposed(&session).await;
        let shown = self.world.session(&session).await;
        let actions = shown["proposedActions"]
            .as_array()
            .unwrap();
        let automated = actions
            .iter()
            .find(|action| action["isAutomated"] == true);
        let moves = automated.map_or(Manual, |action| {
            Automated(
                action["money"]["amount"]["minorUnits"]
                    .as_i64()
                    .unwrap_or(0),
            )
        });
        Proposed {
            session,
            action: automated.map(|action| {
                action["id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            }),
            moves,
        }
    }

    /// Has the retry of an unpaid invoice proposed.
    async fn retry(&self, invoice: &str) -> Proposed {
        let entities = self.system.entities(invoice);
        self.proposed("invoice_payment_failed", &entities)
            .await
    }

    /// Approves the automated action. A worker has its message next.
    async fn approves(&self, proposed: &Proposed) {
        let action = proposed.action.as_deref().unwrap();
        let answer = self
            .world
            .executes(&proposed.session, &[action])
            .await;
        answer.expect(202);
    }

    /// Has a worker do all that waits.
    async fn works(&self) {
        Box::pin(
            self.world
                .delivers(&self.world.worker()),
        )
        .await;
    }

    /// Lets time pass in steps, in which the sweeper and the worker do their work.
    async fn passes(&self, steps: usize, millis: i64) {
        for _ in 0..steps {
            self.world.api.clock.advance(millis);
            self.world.sweeper().sweep().await;
            self.works().await;
        }
    }

    /// The session, the status of its alert, and that of the check of its first result's effect.
    async fn end(&self, proposed: &Proposed) -> (Value, Value, Value) {
        let max = self.world.max_again().await;
        let path = format!("/api/concierge/agent-sessions/{}", proposed.session);
        let session = max.reads(&path).await;
        let path = format!("/api/concierge/alerts/{}", session["alertId"]);
        let alert = max.reads(&path).await["status"].clone();
        let check = check_of(&session["executionResults"][0], "effect");
        let effect = check["status"].clone();
        (session, alert, effect)
    }

    /// Asserts that the matter ended well: one effect of this amount, seen, and the alert resolved.
    async fn is_resolved(&self, proposed: &Proposed, taken: i64) {
        let (session, alert, effect) = self.end(proposed).await;
        let effects = self.double().effects();
        assert_eq!(effects.len(), 1, "{effects:?} {session:#}");
        assert_eq!(effects[0].taken, taken, "{effects:?}");
        assert_eq!(session["status"], "completed", "{session:#}");
        assert_eq!(
            (&alert, &effect),
            (&json!("resolved"), &json!("done")),
            "{session:#}"
        );
    }
}

async fn lago() -> (Case<Lago>, String) {
    let world = Concierge::start().await;
    let system = Lago::start(&world.api.clock).await;
    let invoice = system.unpaid(1, DEBT);
    (Case::connected(world, system).await, invoice)
}

async fn chargebee() -> (Case<Chargebee>, String) {
    let world = Concierge::start().await;
    let system = Chargebee::start(&world.api.clock).await;
    let invoice = system.unpaid(1, DEBT);
    (Case::connected(world, system).await, invoice)
}

async fn stripe() -> (Case<Stripe>, String) {
    let world = Concierge::start().await;
    let system = Stripe::start(&world.api.clock).await;
    let invoice = system.unpaid(1, DEBT);
    (Case::connected(world, system).await, invoice)
}

/// Asserts each row: the change comes before the proposal.
async fn proposes<P: Person>(
    start: impl AsyncFn() -> (Case<P>, String),
    rows: &[(Option<Change>, Proposes)],
) {
    for (change, expected) in rows {
        let (case, invoice) = Box::pin(start()).await;
        if let Some(change) = change {
            case.system.change(&invoice, *change);
        }
        let proposed = case.retry(&invoice).await;
        assert_eq!(proposed.moves, *expected, "{change:?}");
        assert_eq!(case.double().effects(), [], "{change:?}");
    }
}

/// Asserts that nothing is sent after any change between approval and call.
async fn is_skipped<P: Person>(
    start: impl AsyncFn() -> (Case<P>, String),
    rows: &[(Option<Change>, Proposes)],
) {
    for change in rows
        .iter()
        .filter_map(|(change, _)| *change)
    {
        let (case, invoice) = Box::pin(start()).await;
        let proposed = case.retry(&invoice).await;
        case.approves(&proposed).await;
        case.system.change(&invoice, change);
        case.works().await;
        assert_eq!(case.double().effects(), [], "{change:?}");
        let (_, results) = case
            .world
            .outcome(&proposed.session)
            .await;
        let error = &results[0].1;
        assert!(
            error.starts_with("precondition_changed"),
            "{change:?}: {results:?}"
        );
    }
}

#[tokio::test]
async fn lago_charges_what_is_owed_or_a_person_looks() {
    proposes(lago, &OF_BILLING).await;
}

#[tokio::test]
async fn chargebee_charges_what_is_owed_or_a_person_looks() {
    proposes(chargebee, &OF_BILLING).await;
}

#[tokio::test]
async fn stripe_charges_what_is_owed_or_a_person_looks() {
    proposes(stripe, &OF_STRIPE).await;
}

#[tokio::test]
async fn lago_is_not_called_for_a_debt_that_changed_after_the_approval() {
    is_skipped(lago, &OF_BILLING).await;
}

#[tokio::test]
async fn chargebee_is_not_called_for_a_debt_that_changed_after_the_approval() {
    is_skipped(chargebee, &OF_BILLING).await;
}

#[tokio::test]
async fn stripe_is_not_called_for_a_debt_that_changed_after_the_approval() {
    is_skipped(stripe, &OF_STRIPE).await;
}

/// Lago answers at once with nothing, and its job charges. The reads show it a minute later.
#[tokio::test]
async fn a_retry_through_lago_is_found_by_later_reads_and_resolves_its_alert() {
    let (case, invoice) = lago().await;
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.double()
        .lags(Lag::Millis(span::MINUTE));
    case.works().await;
    let (status, _) = case
        .world
        .outcome(&proposed.session)
        .await;
    assert_eq!(status, "executing");
    case.passes(40, 2 * span::MINUTE).await;
    case.is_resolved(&proposed, DEBT).await;
}

/// A repeat with the same key within 30 minutes gets the first answer.
#[tokio::test]
async fn a_collection_through_chargebee_is_repeated_with_its_key_and_resolves_its_alert() {
    let (case, invoice) = chargebee().await;
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.double().cuts(1);
    case.works().await;
    case.passes(12, span::MINUTE).await;
    case.is_resolved(&proposed, DEBT).await;
}

#[tokio::test]
async fn a_payment_through_stripe_resolves_its_alert() {
    let (case, invoice) = stripe().await;
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.works().await;
    case.passes(4, span::MINUTE).await;
    case.is_resolved(&proposed, DEBT).await;
}

/// A bank takes five days for a debit.
#[tokio::test]
async fn a_debit_is_under_way_until_the_bank_has_said() {
    let (case, invoice) = chargebee().await;
    case.double().banks(Bank::PaysLater);
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.works().await;
    case.passes(4, 6 * span::HOUR).await;
    let (session, alert, _) = case.end(&proposed).await;
    assert_eq!(
        (&session["status"], &alert),
        (&json!("executing"), &json!("open")),
        "{session:#}"
    );
    case.double().settle(&invoice, true);
    case.passes(8, 6 * span::HOUR).await;
    case.is_resolved(&proposed, DEBT).await;
    let (case, invoice) = lago().await;
    case.double().banks(Bank::PaysLater);
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.works().await;
    case.passes(4, 6 * span::HOUR).await;
    case.double().settle(&invoice, true);
    case.passes(8, 6 * span::HOUR).await;
    case.is_resolved(&proposed, DEBT).await;
}

/// Lago takes the call for a customer whom it cannot charge.
#[tokio::test]
async fn a_call_that_asked_nobody_is_no_success() {
    let (case, invoice) = lago().await;
    case.double().banks(Bank::NotAsked);
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.works().await;
    case.passes(40, 2 * span::MINUTE).await;
    assert_eq!(case.double().effects(), []);
    let (session, alert, effect) = case.end(&proposed).await;
    assert_ne!(session["status"], "completed", "{session:#}");
    assert_eq!(
        (&alert, &effect),
        (&json!("open"), &Value::Null),
        "{session:#}"
    );
}

/// A declined charge is a refusal, and is not tried again the same day.
#[tokio::test]
async fn a_decline_is_not_tried_again_at_once() {
    let (case, invoice) = chargebee().await;
    case.double().banks(Bank::Declines);
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.works().await;
    let (status, results) = case
        .world
        .outcome(&proposed.session)
        .await;
    assert_eq!(status, "failed", "{results:?}");
    says(&json!(results[0].1), "400");
    case.double().banks(Bank::Pays);
    let action = proposed.action.as_deref().unwrap();
    case.world
        .executes_again(&proposed.session, &[action])
        .await
        .expect(202);
    case.works().await;
    let (_, results) = case
        .world
        .outcome(&proposed.session)
        .await;
    says(&json!(results[0].1), "attempts_reached");
    assert_eq!(case.double().effects().len(), 1);
}

/// Reads that lag behind show the old debt. The system refuses what is not owed, or takes less.
#[tokio::test]
async fn a_change_that_reads_do_not_show_yet_takes_no_more_than_is_owed() {
    for change in [
        Change::Voided,
        Change::CreditedInPart,
        Change::CreditedInFull,
    ] {
        let (case, invoice) = chargebee().await;
        let proposed = case.retry(&invoice).await;
        case.approves(&proposed).await;
        case.double()
            .lags(Lag::Millis(span::HOUR));
        case.system.change(&invoice, change);
        case.works().await;
        case.passes(8, 10 * span::MINUTE).await;
        assert_eq!(case.double().effects(), [], "{change:?}");
    }
    // Lago charges what is due then, and not what was approved.
    let (case, invoice) = lago().await;
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    case.double()
        .lags(Lag::Millis(span::MINUTE));
    case.system
        .change(&invoice, Change::CreditedInPart);
    case.works().await;
    case.passes(40, 2 * span::MINUTE).await;
    assert_eq!(case.double().effects()[0].taken, DEBT / 2);
    let (session, alert, effect) = case.end(&proposed).await;
    assert_eq!(effect, "not_done", "{session:#}");
    assert_eq!(alert, "open");
}

/// A call above the rate limit took no effect, and is sent again.
#[tokio::test]
async fn a_rate_limit_delays_a_call() {
    let (case, invoice) = lago().await;
    let proposed = case.retry(&invoice).await;
    case.approves(&proposed).await;
    // The preconditions take three reads.
    let reads = u32::try_from(case.double().calls().len()).unwrap();
    case.double().limits_after(reads);
    case.works().await;
    case.passes(40, 2 * span::MINUTE).await;
    case.is_resolved(&proposed, DEBT).await;
}

/// A second invoice bills the same. It is void if the first one stands, and else a person looks.
async fn voids_the_duplicate<P: Person>(start: impl AsyncFn() -> (Case<P>, String)) {
    let after = async |change: Option<Change>| {
        let (case, original) = Box::pin(start()).await;
        let duplicate = case.system.unpaid(2, DEBT);
        if let Some(change) = change {
            case.system.change(&original, change);
        }
        let entities = [("invoice", duplicate), ("original_invoice", original)];
        let proposed = case
            .proposed("invoice_duplicated", &entities)
            .await;
        (case, proposed)
    };
    let (case, proposed) = after(None).await;
    assert_eq!(proposed.moves, Automated(DEBT));
    case.approves(&proposed).await;
    case.works().await;
    case.passes(4, span::MINUTE).await;
    case.is_resolved(&proposed, 0).await;
    for change in [
        Change::CreditedInPart,
        Change::CreditedInFull,
        Change::PaidUnbooked,
        Change::OtherCurrency,
        Change::OtherCustomer,
        Change::SmallerDebt,
        Change::Disputed,
        Change::Voided,
    ] {
        let (case, proposed) = after(Some(change)).await;
        assert_eq!(proposed.moves, Manual, "{change:?}");
        assert_eq!(case.double().effects(), []);
    }
    let (_, proposed) = after(Some(Change::PaidBooked)).await;
    assert_eq!(proposed.moves, Automated(DEBT));
}

#[tokio::test]
async fn a_duplicate_in_lago_is_void_only_while_the_other_invoice_stands() {
    voids_the_duplicate(lago).await;
}

#[tokio::test]
async fn a_duplicate_in_chargebee_is_void_only_while_the_other_invoice_stands() {
    voids_the_duplicate(chargebee).await;
}

/// The draft is computed first; its new amount is approved by another session. Lago collects it.
#[tokio::test]
async fn a_draft_in_lago_is_computed_and_then_finalized() {
    let (case, _) = lago().await;
    let draft = case.system.draft(3, 7_000);
    case.system
        .receives_usage(&draft, 9_000);
    let entities = case.system.entities(&draft);
    let first = case
        .proposed("invoice_not_finalized", &entities)
        .await;
    assert_eq!(first.moves, Automated(0));
    case.approves(&first).await;
    case.works().await;
    case.passes(2, span::MINUTE).await;
    let (session, alert, effect) = case.end(&first).await;
    assert_eq!(
        (&alert, &effect),
        (&json!("open"), &json!("done")),
        "{session:#}"
    );
    let path = format!("/api/concierge/alerts/{}/agent-session", session["alertId"]);
    let second = case.world.max.triggers(&path).await["session"]["id"].clone();
    let actions = case.world.proposed(&second).await;
    let shown = case.world.session(&second).await;
    let finalize = &shown["proposedActions"][0];
    assert_eq!(finalize["actionType"], "finalize_invoice", "{shown:#}");
    assert_eq!(finalize["money"]["amount"]["minorUnits"], 9_000);
    case.world
        .executes(&second, &[&actions[0]])
        .await
        .expect(202);
    case.works().await;
    case.passes(2, span::MINUTE).await;
    let effects = case.double().effects();
    let last = effects.last().unwrap();
    assert_eq!((effects.len(), last.taken), (2, 9_000));
    says(&json!(last.call), "/finalize");
    let max = case.world.max_again().await;
    let path = format!("/api/concierge/alerts/{}", session["alertId"]);
    assert_eq!(max.reads(&path).await["status"], "resolved");
}

/// Where Chargebee does not close invoices by itself, a person does.
#[tokio::test]
async fn a_pending_invoice_is_closed_where_chargebee_is_to_close_it() {
    for closes in [true, false] {
        let (case, _) = chargebee().await;
        let draft = case.system.draft(3, 7_000);
        case.system.closes_by_itself(closes);
        let entities = case.system.entities(&draft);
        let proposed = case
            .proposed("invoice_not_finalized", &entities)
            .await;
        let expected = if closes { Automated(7_000) } else { Manual };
        assert_eq!(proposed.moves, expected);
        if closes {
            case.approves(&proposed).await;
            case.works().await;
            case.passes(2, span::MINUTE).await;
            case.is_resolved(&proposed, 7_000).await;
        }
    }
}

/// Dunning of an invoice that a payment covers would charge the customer again.
#[tokio::test]
async fn dunning_of_a_covered_invoice_is_stopped() {
    for (change, stops) in [
        (None, false),
        (Some(Change::PaidUnbooked), true),
        (Some(Change::PaymentUnderWay), true),
    ] {
        let (case, invoice) = chargebee().await;
        case.system.duns(&invoice);
        if let Some(change) = change {
            case.system.change(&invoice, change);
        }
        let entities = case.system.entities(&invoice);
        let proposed = case
            .proposed("dunning_unwanted", &entities)
            .await;
        assert_eq!(proposed.action.is_some(), stops, "{change:?}");
        if stops {
            case.approves(&proposed).await;
            case.works().await;
            case.passes(2, span::MINUTE).await;
            case.is_resolved(&proposed, 0).await;
        }
    }
}

/// Lago's API has no campaigns, and its payment requests cannot be repeated safely.
#[tokio::test]
async fn the_end_of_dunning_in_lago_is_a_persons() {
    for (change, says_what) in [
        (None, "Ask customer `acme`"),
        (Some(Change::PaymentUnderWay), "Wait for the payment"),
    ] {
        let (case, invoice) = lago().await;
        if let Some(change) = change {
            case.system.change(&invoice, change);
        }
        let entities = case.system.entities(&invoice);
        let proposed = case
            .proposed("dunning_finished", &entities)
            .await;
        assert_eq!(proposed.moves, Manual);
        let session = case
            .world
            .session(&proposed.session)
            .await;
        assert_eq!(session["analysis"]["playbook"]["name"], "lago-dunning");
        says(&session["proposedActions"][0]["description"], says_what);
    }
}
