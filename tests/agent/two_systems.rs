//! Two systems of one kind, whose records have the same ids.

use local::target_systems::{DemoTargets, FaultMode, InjectedFault};
use serde_json::{Value, json};
use tests::support::{CASES, Concierge, PlaybookCase, shows};

/// A world with a second billing system, and a payment system that belongs to it.
struct Two {
    world: Concierge,
    /// The second systems. They have the same records as the first ones.
    eu: DemoTargets,
}

impl Two {
    async fn start() -> Self {
        let two = Self {
            world: Concierge::start().await,
            eu: DemoTargets::start(0, None).unwrap(),
        };
        let first = two.world.demo.connections();
        let eu = two.eu.connections();
        for (name, put, partners) in [
            ("billing_eu", &eu["billing"], json!({})),
            (
                "payments_eu",
                &eu["payments"],
                json!({"billing": "billing_eu"}),
            ),
            (
                "billing_eu",
                &eu["billing"],
                json!({"payments": "payments_eu"}),
            ),
            (
                "billing",
                &first["billing"],
                json!({"payments": "payments"}),
            ),
            (
                "payments",
                &first["payments"],
                json!({"billing": "billing"}),
            ),
        ] {
            two.connects(name, put, partners).await;
        }
        two
    }

    async fn connects(&self, name: &str, put: &Value, partners: Value) {
        let mut put = put.clone();
        put["partners"] = partners;
        let ada = self.world.api.sign_in("ada").await;
        ada.puts(&format!("/api/concierge/connections/{name}"), put)
            .await;
    }

    /// Opens a session on an alert of a class about a system, with actions. Returns its id and the
    /// ids.
    async fn proposed(&self, class: &str, system: &'static str) -> (Value, Vec<String>) {
        let mut cases = CASES.iter();
        let case = cases
            .find(|case| case.class == class)
            .unwrap();
        let case = PlaybookCase { system, ..*case };
        let alert = self
            .world
            .alert_of(self.world.api.home.id, &case)
            .await;
        let session = self.world.opened(&alert).await;
        let actions = self.world.proposed(&session).await;
        (session, actions)
    }

    /// Approves the first action, and runs it. Returns the session's status, and the action's
    /// error.
    async fn runs(&self, (session, actions): (Value, Vec<String>)) -> (String, String) {
        let first = &actions[0];
        self.world
            .executes(&session, &[first])
            .await
            .expect(202);
        self.world.takes_messages().await;
        self.world.runs(&session, first).await;
        let (status, mut results) = self.world.outcome(&session).await;
        let error = results.pop().map(|(_, error)| error);
        (status, error.unwrap_or_default())
    }

    /// The states of the duplicate invoice in both systems.
    fn states(&self) -> [Value; 2] {
        [&self.world.demo, &self.eu]
            .map(|demo| demo.state()["invoices"]["inv_2008"]["state"].clone())
    }
}

#[tokio::test]
async fn an_alert_reads_and_changes_its_own_system_only() {
    let two = Two::start().await;
    assert_eq!(two.states(), ["open", "open"]);
    let eu = two
        .proposed("invoice_duplicated", "billing_eu")
        .await;
    let shown = two.world.session(&eu.0).await;
    let reads = shown["analysis"]["reads"].as_array();
    let reads = reads
        .or(shown["reads"].as_array())
        .unwrap();
    let connections = reads
        .iter()
        .map(|read| read["connection"].as_str().unwrap());
    assert!(
        connections
            .clone()
            .all(|name| name.ends_with("_eu")),
        "{reads:?}"
    );
    assert!(
        connections
            .clone()
            .any(|name| name == "payments_eu"),
        "{reads:?}"
    );
    shows!(&shown["proposedActions"][0], {"isAutomated": true, "targetSystem": "billing_eu"});
    assert_eq!(two.runs(eu).await.0, "completed");
    assert_eq!(two.states(), ["open", "void"]);
    assert_eq!(two.world.demo.effects().len(), 0);

    // The other invoice has the same id, and is another one.
    let first = two
        .proposed("invoice_duplicated", "billing")
        .await;
    assert_eq!(
        two.runs(first).await,
        ("completed".to_owned(), String::new())
    );
    assert_eq!(two.states(), ["void", "void"]);
    assert_eq!(two.eu.effects().len(), 1);
}

/// An outcome that is unknown in one system holds its record, and not the other system's.
#[tokio::test]
async fn a_record_of_one_system_is_held_through_every_connection_to_it_alone() {
    let two = Two::start().await;
    let same = two.eu.connections()["billing"].clone();
    two.connects("billing_eu_2", &same, json!({"payments": "payments_eu"}))
        .await;
    let eu = two
        .proposed("invoice_duplicated", "billing_eu")
        .await;
    let again = two
        .proposed("invoice_duplicated", "billing_eu_2")
        .await;
    let other = two
        .proposed("invoice_duplicated", "billing")
        .await;
    let fault = InjectedFault::once("billing", FaultMode::Fail).status(500);
    for _ in 0..5 {
        two.eu.inject(
            fault
                .clone()
                .of("POST /invoices/{id}/void"),
        );
    }
    // The call is retried later, and may have taken effect.
    assert_eq!(two.runs(eu).await.0, "executing");
    assert_eq!(two.runs(other).await.0, "completed");
    assert_eq!(two.states(), ["void", "open"]);
    let (_, error) = two.runs(again).await;
    assert!(error.starts_with("effect_in_progress: "), "{error}");
}

#[tokio::test]
async fn of_two_payment_systems_one_is_named_or_the_action_is_manual() {
    let two = Two::start().await;
    two.connects("billing_eu", &two.eu.connections()["billing"], json!({}))
        .await;
    let (session, _) = two
        .proposed("invoice_duplicated", "billing_eu")
        .await;
    let manual = &two.world.session(&session).await["proposedActions"][0];
    assert_eq!(manual["isAutomated"], false);
    let description = manual["description"].as_str().unwrap();
    let why = "two connections are of kind payments: name one in `partners` of `billing_eu`";
    assert!(description.contains(why), "{description}");
}

#[tokio::test]
async fn an_alert_of_a_system_without_a_connection_is_for_a_person() {
    let two = Two::start().await;
    let (session, _) = two
        .proposed("invoice_duplicated", "billing_us")
        .await;
    let shown = two.world.session(&session).await;
    let actions = shown["proposedActions"]
        .as_array()
        .unwrap();
    assert!(
        actions
            .iter()
            .all(|action| action["isAutomated"] == false)
    );
    let description = actions[0]["description"]
        .as_str()
        .unwrap();
    let why = "the alert's system `billing_us` is no connection";
    assert!(description.contains(why), "{description}");
    assert_eq!(two.world.demo.effects().len() + two.eu.effects().len(), 0);
}
