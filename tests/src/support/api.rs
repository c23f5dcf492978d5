//! A world for one test.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use aws_sdk_dynamodb::{
    config::{StalledStreamProtectionConfig, retry::RetryPartition, timeout::TimeoutConfig},
    types::AttributeValue,
};
use http::HeaderName;
use local::engines::{EngineQueues, Stream};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::{
    App,
    auth::password,
    clock::Clock,
    config::{ApiConfig, CookieScope, SigningSecrets, TrustedProxy},
    model::{
        base::{Cell, OrganizationId, Timestamp, TokenId, quota::UnitsPerSecond},
        people::{Organization, PasswordHash, PlanFeature, Role, User},
        work::Project,
    },
    store::{
        base::Store,
        upkeep::{CLEANUP_DELAY, CleanupRound, Shard},
    },
};
use tokio::sync::{Mutex, OnceCell};

use crate::records;

use super::{
    AgentSettings, Caller, Counter, Faults, Item, Table, comes, described, engines,
    gateway::Gateway, given::merges, log, number, puts, sets, text_of, weather::Outdoors,
};

/// The password of every user.
pub const PASSWORD: &str = "correct horse battery staple";

/// Its hash: hashing takes too long to do it for each test.
static PASSWORD_HASH: OnceCell<PasswordHash> = OnceCell::const_new();

/// Two organizations on a table of their own, all functions, and a clock that stands still.
///
/// Organization 1, with projects 1 and 2, has ada (admin), max (manager), mia (member), sue
/// (support) and vic (viewer); organization 2, with project 3, has zoe (admin) and zac (member).
/// Both have the plan with the agent. Users come to be when a test first names them.
pub struct Api {
    pub app: App,
    pub clock: Clock,
    pub store: Store,
    pub counter: Counter,
    /// The test's own, whom no weather strikes.
    pub client: aws_sdk_dynamodb::Client,
    pub table: String,
    functions: aws_sdk_dynamodb::Client,
    url: String,
    pub queues: EngineQueues,
    pub home: Organization,
    pub abroad: Organization,
    /// Boxed, since futures that hold a world are large.
    pub projects: Box<[Project; 3]>,
    agent: AgentSettings,
    gateway: Gateway,
    users: Mutex<BTreeMap<String, User>>,
    pub(super) stream: OnceCell<Mutex<Stream>>,
}

/// Differences between a test's world and the usual one.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Organization 1 has no plan with the agent.
    pub without_agent: bool,
    /// The table is reached through a proxy that fails on demand.
    pub faults: Option<Faults>,
    /// The URL at which the table is reached, if not the engine's.
    pub proxy: Option<String>,
    /// Settings of the resolution agent.
    pub agent: AgentSettings,
    /// Units a second of both organizations; by default the most that a plan may have. The clock
    /// stands still, so that a test takes place in one second.
    pub units_per_second: Option<u32>,
    /// The items of another world, in place of new organizations.
    pub table: Option<Table>,
}

impl Settings {
    /// Requests of the service lead to public addresses alone, as those of a deployed stack do.
    pub fn public() -> Self {
        let mut settings = Self::default();
        settings.agent.is_public = true;
        settings
    }

    /// A table behind a proxy that fails on demand, and the proxy.
    pub async fn behind_faults() -> (Self, Faults) {
        let faults = Faults::start().await;
        let settings = Self {
            faults: Some(faults.clone()),
            ..Self::default()
        };
        (settings, faults)
    }
}

/// A client as the functions have it, which counts. Failures of other clients of this process take
/// none of its retries.
pub fn client(url: &str, counter: &Counter) -> aws_sdk_dynamodb::Client {
    static CLIENTS: AtomicUsize = AtomicUsize::new(0);
    let number = CLIENTS.fetch_add(1, Ordering::Relaxed);
    let config = local::engines::dynamodb_client(url)
        .config()
        .to_builder()
        .timeout_config(shared::config::timeouts())
        .retry_partition(RetryPartition::new(format!("client {number}")))
        .interceptor(counter.clone());
    aws_sdk_dynamodb::Client::from_conf(config.build())
}

/// Gives a client timeouts for a busy machine, longer than a proxy holds requests.
fn patient(client: &aws_sdk_dynamodb::Client) -> aws_sdk_dynamodb::Client {
    let long = Duration::from_mins(1);
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(long)
        .operation_attempt_timeout(long)
        .operation_timeout(long);
    let config = client
        .config()
        .to_builder()
        .timeout_config(timeouts.build())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
    aws_sdk_dynamodb::Client::from_conf(config.build())
}

/// The settings of the functions under test.
pub fn api_config(table: &str) -> ApiConfig {
    let secrets = ["a secret of the tests", "an older one"];
    let of_links = ["a secret of links", "an older one of links"];
    ApiConfig {
        table: table.to_owned(),
        cell: Cell::default(),
        session_secrets: SigningSecrets::new(secrets.map(str::to_owned)).unwrap(),
        link_secrets: SigningSecrets::new(of_links.map(str::to_owned)),
        cookie_scope: CookieScope::SameSite,
        allowed_origins: vec!["https://app.workdesk.example".to_owned()],
        sends_mail: true,
        proxy: None,
        is_paused: false,
    }
}

/// The organizations of a world, with what they have from the beginning.
struct Founded {
    home: Organization,
    abroad: Organization,
    projects: Box<[Project; 3]>,
    users: BTreeMap<String, User>,
}

impl Founded {
    async fn create(
        store: &Store,
        settings: &Settings,
        (client, table): (&aws_sdk_dynamodb::Client, &str),
    ) -> Self {
        let directory = store.directory();
        let with_agent = vec![PlanFeature::AgentAi];
        let mut plan = with_agent.clone();
        plan.retain(|_| !settings.without_agent);
        let home = directory.create_organization("Halden Services".into(), plan);
        let home = home.await.unwrap();
        let abroad = directory.create_organization("Outland".into(), with_agent);
        let abroad = abroad.await.unwrap();
        let units = settings
            .units_per_second
            .unwrap_or(UnitsPerSecond::MOST);
        // Without a version or an entry more.
        for organization in [&home, &abroad] {
            let pk = format!("ORG#{}", organization.id);
            let attributes = [("unitsPerSecond", number(units))];
            sets((client, table), [&pk, "ORGANIZATION"], attributes).await;
        }
        let mut projects = Vec::new();
        for (organization, title) in [
            (&home, "Billing migration"),
            (&home, "Office move"),
            (&abroad, "Foreign affairs"),
        ] {
            let project = directory.create_project(organization.id, records::project(title));
            let project = project.await.unwrap();
            projects.push(project.into_stored().record);
        }
        Self {
            home,
            abroad,
            projects: projects.try_into().unwrap(),
            users: BTreeMap::new(),
        }
    }

    /// Reads those of another world's table.
    fn read(items: &[Item]) -> Self {
        let mut organizations: Vec<Organization> = of_kind(items, "organization");
        let mut projects: Vec<Project> = of_kind(items, "project");
        projects.truncate(3);
        let users = of_kind::<User>(items, "user").into_iter();
        let users = users.map(|user| (user.username.clone(), user));
        Self {
            home: organizations.remove(0),
            abroad: organizations.remove(0),
            projects: projects.try_into().unwrap(),
            users: users.collect(),
        }
    }
}

/// The records of a kind, by id.
fn of_kind<R: DeserializeOwned>(items: &[Item], kind: &str) -> Vec<R> {
    let mut items: Vec<Item> = items.to_vec();
    items.retain(|item| text_of(item, "kind") == kind);
    items.sort_by_key(|item| {
        item["id"]
            .as_n()
            .unwrap()
            .parse::<i64>()
            .unwrap()
    });
    let records = items
        .into_iter()
        .map(serde_dynamo::from_item);
    records.map(Result::unwrap).collect()
}

/// A value as text, with the members of maps in order.
fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::M(map) => {
            let sorted: BTreeMap<_, _> = map.iter().collect();
            let fields = sorted.iter();
            let fields = fields.map(|(name, value)| format!("{name:?}: {}", text(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        AttributeValue::L(list) => {
            let values: Vec<String> = list.iter().map(text).collect();
            format!("[{}]", values.join(", "))
        }
        other => format!("{other:?}"),
    }
}

impl Api {
    /// The usual world.
    pub async fn start() -> Self {
        // The future is large.
        Box::pin(Self::start_with(Settings::default())).await
    }

    /// The usual world, and callers with sessions of these users.
    pub async fn signed_in<const N: usize>(names: [&str; N]) -> (Self, [Caller; N]) {
        let api = Self::start().await;
        let callers = api.sign_ins(names).await;
        (api, callers)
    }

    /// The usual world, and these users.
    pub async fn with_users<const N: usize>(names: [&str; N]) -> (Self, [User; N]) {
        let api = Self::start().await;
        let mut users = Vec::new();
        for name in names {
            users.push(api.user(name).await);
        }
        (api, users.try_into().unwrap())
    }

    /// A world whose table is behind a failing proxy, and callers with sessions of these users.
    pub async fn behind_faults<const N: usize>(names: [&str; N]) -> (Self, Faults, [Caller; N]) {
        let (settings, faults) = Settings::behind_faults().await;
        let api = Self::start_with(settings).await;
        let callers = api.sign_ins(names).await;
        (api, faults, callers)
    }

    /// A world with a difference.
    pub async fn start_with(settings: Settings) -> Self {
        described::ready();
        log::listens();
        let (table, queues) = engines::fresh().await;
        let counter = Counter::default();
        let faults = settings
            .faults
            .as_ref()
            .map(Faults::url);
        let proxy = faults.or(settings.proxy.as_deref());
        // What is planned is not left to chance.
        let is_planned = proxy.is_some();
        let outdoors = if is_planned {
            None
        } else {
            Outdoors::of(&table).await
        };
        let between = proxy.or(outdoors.as_ref().map(Outdoors::url));
        let (url, functions) = if let Some(url) = between {
            (url, patient(&client(url, &counter)))
        } else {
            let url = engines::engines().await.dynamodb_url();
            (url, client(url, &counter))
        };
        let url = url.to_owned();
        let client = match &outdoors {
            Some(outdoors) => client(&outdoors.observer_url(), &counter),
            None => functions.clone(),
        };
        let at = settings
            .table
            .as_ref()
            .map(|table| table.at);
        let clock = Clock::fixed(at.unwrap_or_else(|| "2026-01-15T12:00:00Z".parse().unwrap()));
        let app = App::new(functions.clone(), &api_config(&table), clock.clone());
        let store = app.store.clone();
        let founded = match &settings.table {
            Some(recorded) => {
                puts(&client, &table, recorded.items.clone()).await;
                Founded::read(&recorded.items)
            }
            None => Box::pin(Founded::create(&store, &settings, (&client, &table))).await,
        };
        let mut gateway = Gateway::of(
            &settings
                .agent
                .states(&app, &queues)
                .await,
        );
        gateway.outdoors = outdoors;
        counter.take();
        Self {
            app,
            clock,
            counter,
            client,
            functions,
            url,
            table,
            queues,
            home: founded.home,
            abroad: founded.abroad,
            projects: founded.projects,
            agent: settings.agent,
            gateway,
            store,
            users: Mutex::new(founded.users),
            stream: OnceCell::new(),
        }
    }

    /// Returns whether its table has weather.
    pub const fn has_weather(&self) -> bool {
        self.gateway.outdoors.is_some()
    }

    /// Other instances of the functions on the same table, which have not served anybody yet.
    pub async fn other_instances(&self) -> Gateway {
        self.instances_of(|_| ()).await
    }

    /// Other instances that know these secrets. The first secret signs.
    pub async fn instances_knowing(&self, secrets: &[&str]) -> Gateway {
        let secrets = SigningSecrets::new(secrets.iter().map(ToString::to_string)).unwrap();
        let sets = |config: &mut ApiConfig| config.session_secrets = secrets;
        self.instances_of(sets).await
    }

    /// Instances of another cell with the same table and secrets.
    pub async fn instances_of_cell(&self, name: &str) -> Gateway {
        let cell = Cell::new(name).unwrap();
        self.instances_of(|config| config.cell = cell)
            .await
    }

    /// Other instances of a deployment that sends no mail.
    pub async fn instances_without_mail(&self) -> Gateway {
        self.instances_of(|config| config.sends_mail = false)
            .await
    }

    /// Other instances of a deployment that is paused.
    pub async fn paused_instances(&self) -> Gateway {
        self.instances_of(|config| config.is_paused = true)
            .await
    }

    /// Other instances behind a proxy that names the client's address in this header, and has this
    /// secret.
    pub async fn instances_behind(&self, header: &'static str, secret: &str) -> Gateway {
        let proxy = TrustedProxy {
            address_header: HeaderName::from_static(header),
            secrets: SigningSecrets::new(["a newer one".to_owned(), secret.to_owned()]).unwrap(),
        };
        self.instances_of(|config| config.proxy = Some(proxy))
            .await
    }

    async fn instances_of(&self, differs: impl FnOnce(&mut ApiConfig)) -> Gateway {
        let mut config = api_config(&self.table);
        differs(&mut config);
        let app = App::new(self.functions.clone(), &config, self.clock.clone());
        Gateway::of(
            &self
                .agent
                .states(&app, &self.queues)
                .await,
        )
    }

    /// A caller without a session.
    pub fn anonymous(&self) -> Caller {
        Caller::new(self.gateway.clone(), None)
    }

    /// The user as the table has it now.
    pub async fn account(&self, name: &str) -> User {
        let sign_in = self.store.sign_in();
        let account = sign_in
            .account(name)
            .await
            .unwrap()
            .unwrap();
        sign_in
            .user(&account)
            .await
            .unwrap()
            .unwrap()
    }

    /// The user of this name, who comes to be when first named.
    pub async fn user(&self, name: &str) -> User {
        let mut users = self.users.lock().await;
        if let Some(user) = users.get(name) {
            return user.clone();
        }
        let (role, tenant) = match name {
            "ada" => (Role::Admin, self.home.id),
            "max" => (Role::Manager, self.home.id),
            "mia" => (Role::Member, self.home.id),
            "sue" => (Role::Support, self.home.id),
            "vic" => (Role::Viewer, self.home.id),
            "zoe" => (Role::Admin, self.abroad.id),
            "zac" | "zed" => (Role::Member, self.abroad.id),
            other => panic!("nobody is called {other}"),
        };
        let hash = async || {
            password::hash(PASSWORD.into())
                .await
                .unwrap()
        };
        let new = records::user(
            name,
            role,
            PASSWORD_HASH
                .get_or_init(hash)
                .await
                .clone(),
        );
        let directory = self.store.directory();
        let user = directory
            .create_user(tenant, new)
            .await
            .unwrap()
            .into_stored()
            .record;
        users.insert(name.to_owned(), user.clone());
        user
    }

    /// A caller with a session, begun past the password.
    pub async fn sign_in(&self, name: &str) -> Caller {
        let caller = self
            .session_of(&self.user(name).await)
            .await;
        self.counter.take();
        caller
    }

    /// Callers with sessions of these users.
    pub async fn sign_ins<const N: usize>(&self, names: [&str; N]) -> [Caller; N] {
        let mut callers = Vec::new();
        for name in names {
            callers.push(self.sign_in(name).await);
        }
        callers.try_into().ok().unwrap()
    }

    pub async fn session_of(&self, user: &User) -> Caller {
        self.session_since(user, self.clock.now())
            .await
    }

    /// A session of a user that began at an instant and was not used since.
    pub async fn session_since(&self, user: &User, begun: Timestamp) -> Caller {
        let tenant: OrganizationId = user.organization_id;
        let sid = records::signed_in(&self.store, user, begun).await;
        let cookie = format!("connect.sid={}", self.app.cookie.sign(&sid.to_string()));
        Caller::new(self.gateway.clone(), Some((user.id, tenant, cookie)))
    }

    /// A caller with a new token of a user. `more` are further fields of `POST /api/tokens`.
    pub async fn token_of(&self, user: &User, more: Value) -> Caller {
        let (caller, _) = self.token_and_id_of(user, more).await;
        caller
    }

    /// Like [`token_of`](Self::token_of), with the token's id.
    pub async fn token_and_id_of(&self, user: &User, more: Value) -> (Caller, TokenId) {
        let mut sent = json!({"name": "export"});
        merges(&mut sent, &more);
        let tokens = self.store.tokens();
        let owner = async || Ok(user.clone());
        let token = tokens.create(user.organization_id, user.id, owner, records::sent(&sent));
        let (token, secret) = token.await.unwrap();
        let id = token.id;
        let secret = secret.unwrap();
        self.counter.take();
        let mut caller = self
            .anonymous()
            .with_token(secret.expose());
        (caller.user, caller.organization) = (Some(user.id), Some(user.organization_id));
        (caller, id)
    }

    /// A store that reaches the table beside whatever fails or holds up the others.
    pub async fn store_beside(&self) -> Store {
        let direct = engines::engines().await.dynamodb();
        Store::new(direct, &self.table, self.clock.clone())
    }

    /// The store of a function without a gateway, under that function's role.
    pub fn store_of(&self, function: &'static str) -> Store {
        let client = patient(&client(&self.url, &Counter::of(function)));
        Store::new(client, &self.table, self.clock.clone())
    }

    /// Runs the cleanups of all deletes so far, once they are due, under the sweeper's role.
    /// Returns how many were finished; none may fail.
    pub async fn cleans_up(&self) -> usize {
        self.clock.advance(CLEANUP_DELAY);
        let mut finished = 0;
        let store = self.store_of("sweeper");
        let cleanups = store.cleanups();
        for shard in Shard::all() {
            let run = cleanups.run_due(shard, |key, progress| {
                let progress = progress.unwrap_or_else(|error| panic!("{key}: {}", error.chain()));
                finished += usize::from(progress == CleanupRound::Finished);
            });
            comes("the end of the cleanups", run)
                .await
                .unwrap();
        }
        finished
    }

    /// Every item of the table as text, in a fixed order: for «nothing was written».
    pub async fn table_dump(&self) -> Vec<String> {
        let items = self.items().await.into_iter();
        let mut items: Vec<_> = items
            .map(|item| text(&AttributeValue::M(item)))
            .collect();
        items.sort();
        items
    }
}
