//! All shipped playbooks, before target systems that note caller and secret.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use local::target_systems::DemoTargets;
use serde_json::{Value, json};
use shared::model::base::{Id, OrganizationId};
use tests::support::{CASES, Caller, Concierge, PlaybookCase, posts, serve};

/// A call that a target system received.
#[derive(Clone, Debug)]
struct Asked {
    organization: i64,
    system: String,
    method: Method,
    authorization: String,
}

/// Stands before the demo's systems of each organization, and notes what it is asked.
#[derive(Clone, Default)]
struct Door {
    demos: Arc<Vec<(i64, DemoTargets)>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

fn secret(organization: i64, system: &str) -> String {
    format!("secret-of-{organization}-for-{system}")
}

impl Door {
    async fn open(organizations: &[OrganizationId]) -> (Self, String) {
        let demos = organizations
            .iter()
            .map(|organization| (organization.get(), DemoTargets::start(0, None).unwrap()));
        let door = Self {
            demos: Arc::new(demos.collect()),
            asked: Arc::default(),
        };
        let routes = Router::new()
            .route(
                "/{organization}/targets/{system}/{*path}",
                axum::routing::any(lets_through),
            )
            .with_state(door.clone());
        (door, serve(routes).await)
    }

    fn takes(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

/// Hands a call on to the organization's own demo, with the secret that this one takes.
async fn lets_through(
    State(door): State<Door>,
    Path((organization, system, path)): Path<(i64, String, String)>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let authorization = headers.get(header::AUTHORIZATION);
    door.asked.lock().unwrap().push(Asked {
        organization,
        system: system.clone(),
        method: method.clone(),
        authorization: authorization
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned(),
    });
    let (_, demo) = door
        .demos
        .iter()
        .find(|(id, _)| *id == organization)
        .unwrap();
    let own = demo.connections()[&system]["secret"].clone();
    let own = own.as_str().unwrap();
    let url = format!("{}/targets/{system}/{path}", demo.url());
    let client = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap();
    let mut request = client
        .request(method, url)
        .bearer_auth(own)
        .body(body);
    for name in ["content-type", "idempotency-key"] {
        if let Some(value) = headers.get(name) {
            request = request.header(name, value);
        }
    }
    let answer = request.send().await.unwrap();
    let status = StatusCode::from_u16(answer.status().as_u16()).unwrap();
    (status, answer.bytes().await.unwrap()).into_response()
}

/// Two organizations whose connections have the same names, and secrets of their own.
struct Two {
    world: Concierge,
    door: Door,
    admins: [Caller; 2],
}

impl Two {
    async fn start() -> Self {
        let organizations = [1, 2].map(|id| OrganizationId::new(id).unwrap());
        let (door, url) = Door::open(&organizations).await;
        let systems = ["billing", "payments", "notifications"];
        let world = Concierge::start().await;
        assert_eq!(world.api.home.id, organizations[0]);
        assert_eq!(world.api.abroad.id, organizations[1]);
        for organization in organizations {
            for system in systems {
                let connection = json!({
                    "baseUrl": format!("{url}/{organization}/targets/{system}"),
                    "secret": secret(organization.get(), system),
                });
                world
                    .connects_for(organization, system, connection)
                    .await;
            }
        }
        let signs_in = async |name| {
            let caller = world.api.sign_in(name).await;
            caller.with_header("prefer", "respond-async")
        };
        let admins = [signs_in("ada").await, signs_in("zoe").await];
        Self {
            world,
            door,
            admins,
        }
    }

    /// Has actions proposed for a case. Returns the session's path and its actions.
    async fn proposed(&self, admin: &Caller, case: &PlaybookCase) -> (String, Vec<Value>) {
        let tenant = admin.organization.unwrap();
        let alert = self
            .world
            .alert_of(tenant, case)
            .await
            .id;
        let path = format!("/api/concierge/alerts/{alert}/agent-session");
        let id = admin.triggers(&path).await["session"]["id"].clone();
        let path = format!("/api/concierge/agent-sessions/{id}");
        let proposed = admin
            .triggers(&format!("{path}/propose?detail=full"))
            .await;
        let actions = proposed["session"]["proposedActions"]
            .as_array()
            .unwrap();
        (path, actions.clone())
    }

    /// Has everything previewed, and the automated actions executed. Returns how many those are.
    async fn executes(&self, admin: &Caller, path: &str, actions: &[Value]) -> usize {
        let action_ids: Vec<&Value> = actions
            .iter()
            .map(|action| &action["id"])
            .collect();
        posts!(admin, "{path}/preview", {"actionIds": action_ids});
        let runs = actions
            .iter()
            .filter(|action| action["isAutomated"] == true);
        let runs: Vec<&Value> = runs
            .map(|action| &action["id"])
            .collect();
        if !runs.is_empty() {
            posts!(admin, "{path}/execute", {"actionIds": runs});
        }
        runs.len()
    }
}

#[tokio::test]
async fn no_call_of_an_organization_carries_the_secret_of_another() {
    let two = Two::start().await;
    let mut playbooks = BTreeSet::new();
    let mut runs = 0;
    for case in CASES {
        for admin in &two.admins {
            let (path, actions) = two.proposed(admin, case).await;
            let reads = two.door.takes();
            assert!(!reads.is_empty(), "{case:?} looks at nothing");
            assert!(
                reads
                    .iter()
                    .all(|read| read.method == Method::GET)
            );
            carry_their_own(&reads, admin);
            playbooks.insert(actions[0]["playbook"]["name"].to_string());
            runs += two
                .executes(admin, &path, &actions)
                .await;
            // What comes after another action is asked for once that one has ended.
            for _ in 0..2 {
                two.world
                    .delivers(&two.world.worker())
                    .await;
            }
            carry_their_own(&two.door.takes(), admin);
        }
    }
    let expected: BTreeSet<&str> = CASES
        .iter()
        .map(|case| case.playbook)
        .collect();
    assert_eq!(playbooks.len(), expected.len(), "{playbooks:?}");
    // Most cases have something that runs by itself, and it did.
    assert!(runs >= 20, "{runs}");
    for (_, demo) in two.door.demos.iter() {
        assert!(demo.effects().len() >= 10, "{:?}", demo.effects());
    }
}

/// Asserts that an organization called its own systems with its own secrets.
fn carry_their_own(calls: &[Asked], caller: &Caller) {
    let own = caller.organization.unwrap().get();
    for call in calls {
        let secret = format!("Bearer {}", secret(own, &call.system));
        assert_eq!((call.organization, &call.authorization), (own, &secret));
    }
}
