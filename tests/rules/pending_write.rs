//! Writes read beside their authorization, and write nothing before it succeeds.

use std::{future::ready, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use shared::{
    agent::session::{Approving, Case, Proposal},
    model::{
        base::{
            ActivityId, AgentSessionId, AlertId, Code, CommentId, CustomerId, Error, Id,
            MilestoneId, Order, PhaseId, ProjectId, ServiceRequestId, TagId, TaskId, Thread,
            TicketId, UserId,
        },
        people::{Held, Role, SignInAge},
        work::{MilestoneCreate, MilestoneUpdate, ServiceRequestCreate, TaskPlace, TaskUpdate},
    },
    store::base::{PendingWrite, Store},
};
use tests::{
    records,
    support::{Api, Concierge, budgets::USUAL, comes, proposal},
};
use tokio::sync::Semaphore;

type Writes<'a> = Vec<(&'static str, BoxFuture<'a, Result<(), Error>>)>;

/// A write by its name, without what it answers.
macro_rules! writes {
    ($($name:ident().$verb:ident($($argument:expr),* $(,)?) of $store:ident),* $(,)?) => {
        vec![$((
            concat!(stringify!($name), "().", stringify!($verb)),
            Box::pin(async move {
                $store.$name().$verb($($argument),*).await.map(|_| ())
            }) as BoxFuture<'_, Result<(), Error>>,
        )),*]
    };
}

fn id<I: Id>(number: i64) -> I {
    I::new(number).unwrap()
}

fn request(project: i64) -> ServiceRequestCreate {
    records::sent(&json!({"title": "Help", "referenceType": "project", "referenceId": project}))
}

fn milestone(project: i64) -> MilestoneCreate {
    records::sent(&json!({"title": "Cut-over", "projectId": project}))
}

/// Comment 1, on a service request.
fn comment(request: i64) -> (Thread, CommentId) {
    (id::<ServiceRequestId>(request).into(), id(1))
}

/// The permissions of a caller who may change every user.
fn everything() -> Held {
    Held {
        permissions: Role::Admin.permissions(),
        sign_in: SignInAge::New,
    }
}

/// Every write that a request leads to, of the records with the id `n` and of project `n`.
fn writes<'a>(api: &'a Api, pending: &'a (dyn Fn() -> PendingWrite + Sync), n: i64) -> Writes<'a> {
    let store: &Store = &api.store;
    writes![
        tasks().create(pending(), records::task(id(n))) of store,
        tasks().update(pending(), id::<TaskId>(n), TaskUpdate::default()) of store,
        tasks().reorder(pending(), &[TaskPlace { id: id(n), order: Order::at(7) }]) of store,
        tasks().delete(pending(), id::<TaskId>(n)) of store,
        milestones().create(pending(), milestone(n)) of store,
        milestones().update(pending(), id::<MilestoneId>(n), MilestoneUpdate::default()) of store,
        milestones().delete(pending(), id::<MilestoneId>(n)) of store,
        activities().create(pending(), id(1), records::activity(Some(id(n)))) of store,
        tagging().set_attached(pending(), id::<ActivityId>(n).into(), id::<TagId>(n), true) of store,
        tagging().set_attached(pending(), id::<ActivityId>(n).into(), id::<TagId>(n), false) of store,
        activities().update(pending(), id::<ActivityId>(n), records::sent(&json!({"type": "call"})), async |_| Ok(())) of store,
        activities().delete(pending(), id::<ActivityId>(n), async |_| Ok(())) of store,
        service_requests().create(pending(), id(1), request(n)) of store,
        comments().create(pending(), id::<ServiceRequestId>(n).into(), id(1), records::comment("Any news?")) of store,
        comments().edit(pending(), comment(n), records::sent(&json!({"content": "News?"})), async |_| Ok(())) of store,
        comments().delete(pending(), comment(n), async |_| Ok(())) of store,
        service_requests().update(pending(), id::<ServiceRequestId>(n), records::sent(&json!({"status": "closed"}))) of store,
        service_requests().delete(pending(), id::<ServiceRequestId>(n), async |_| Ok(())) of store,
        tickets().create(pending(), records::ticket()) of store,
        tickets().raise(pending(), id(1), records::sent(&json!({"title": "No invoices", "assigneeId": n}))) of store,
        tickets().update(pending(), id::<TicketId>(n), records::sent(&json!({"priority": "low"}))) of store,
        tickets().reply(pending(), id::<TicketId>(n), id(1), records::sent(&json!({"content": "Soon."}))) of store,
        alerts().record(pending(), records::alert("late_invoice", api.clock.now())) of store,
        directory().create_project(pending(), records::project("Move")) of store,
        directory().create_customer(pending(), records::sent(&json!({"name": "Ferro Robotics"}))) of store,
        directory().update_customer(pending(), id::<CustomerId>(n), records::sent(&json!({"archived": true}))) of store,
        directory().create_phase(pending(), id::<ProjectId>(n), records::phase("Build", 1)) of store,
        directory().create_tag(pending(), records::tag("urgent")) of store,
        directory().create_user(pending(), records::user("newcomer", Role::Admin, "")) of store,
        // Not the last admin: there is a newcomer.
        directory().disable_user(pending(), id::<UserId>(n), true) of store,
        directory().update_user(pending(), async || Ok(everything()), id::<UserId>(n), records::sent(&json!({"fullName": "Ada"})), None) of store,
        directory().update_organization(pending(), records::sent(&json!({"name": "Renamed"}))) of store,
        directory().update_project(pending(), id::<ProjectId>(n), records::sent(&json!({"title": "Renamed", "status": "archived"}))) of store,
        members().add(pending(), id::<ProjectId>(n), id(1)) of store,
        members().remove(pending(), id::<ProjectId>(n), id(1)) of store,
        directory().update_phase(pending(), id::<PhaseId>(n), records::sent(&json!({"title": "Renamed"}))) of store,
        directory().update_tag(pending(), id::<TagId>(n), records::sent(&json!({"name": "renamed"}))) of store,
        directory().delete_phase(pending(), id::<PhaseId>(n)) of store,
        directory().delete_tag(pending(), id::<TagId>(n)) of store,
    ]
}

/// An organization with one record of each kind, whose id is 1.
async fn with_records() -> Api {
    let api = Api::start().await;
    assert_eq!(api.user("ada").await.id.get(), 1);
    let store = &api.store;
    let tenant = api.home.id;
    let creates = writes![
        tasks().create(tenant, records::task(id(1))) of store,
        milestones().create(tenant, milestone(1)) of store,
        activities().create(tenant, id(1), records::activity(Some(id(1)))) of store,
        service_requests().create(tenant, id(1), request(1)) of store,
        comments().create(tenant, id::<ServiceRequestId>(1).into(), id(1), records::comment("Any news?")) of store,
        tickets().create(tenant, records::ticket()) of store,
        directory().create_tag(tenant, records::tag("late")) of store,
        directory().create_customer(tenant, records::sent(&json!({"name": "Longhaul Imports"}))) of store,
    ];
    for (name, create) in creates {
        create
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    api
}

/// A write that is refused.
fn refused(api: &Api) -> PendingWrite {
    let why = Error::forbidden(Code::PermissionDenied, "refused");
    PendingWrite::new(api.home.id, ready(Err(why)))
}

/// Does writes, of which each is refused.
async fn are_refused(writes: Writes<'_>) {
    for (name, write) in writes {
        let error = write
            .await
            .err()
            .unwrap_or_else(|| panic!("{name}"));
        assert!(matches!(&error, Error::Forbidden { .. }), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_refusal_writes_nothing_and_comes_before_an_error_of_the_reads() {
    // The future is large.
    let api = Box::pin(with_records()).await;
    let before = api.records().await;
    let refused = || refused(&api);
    for n in [1, 99] {
        are_refused(writes(&api, &refused, n)).await;
    }
    assert_eq!(api.records().await, before);
}

#[tokio::test]
async fn a_write_reads_beside_its_authorization_and_waits_for_it() {
    // The authorization reads the table, as authentication does, and takes longer than all other
    // reads.
    let slow = |api: &Api| {
        let store = api.store.clone();
        let tenant = api.home.id;
        PendingWrite::new(tenant, async move {
            let hash = "of nobody's session";
            store
                .sign_in()
                .caller(tenant, id(1), hash)
                .await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(None)
        })
    };
    // The future is large.
    let api = Box::pin(with_records()).await;
    let pending = || slow(&api);
    for (name, write) in writes(&api, &pending, 1) {
        api.counter.take();
        let done = write.await;
        let used = api.counter.take();
        done_or_gone(name, &done);
        assert!(used.in_sequence <= USUAL.in_sequence, "{name}: {used:?}");
        assert!(used.total <= USUAL.total, "{name}: {used:?}");
    }
}

#[tokio::test]
async fn nothing_is_written_before_the_authorization() {
    // The future is large.
    let api = Box::pin(with_records()).await;
    let gate = Arc::new(Semaphore::new(0));
    let pending = || behind(&gate, &api);
    for (name, write) in writes(&api, &pending, 1) {
        done_or_gone(name, &opens(&gate, &api, name, write).await);
    }
}

/// Records for the writes of agent sessions: an alert without a session, a session with a proposal
/// whose first action can be approved, and another one.
struct Sessions {
    alert: AlertId,
    one: AgentSessionId,
    actions: Vec<String>,
    other: AgentSessionId,
}

/// An analysis that proposes nothing.
async fn nothing_found(_: &Case) -> Result<Proposal, Error> {
    Ok(proposal(Vec::new()))
}

impl Sessions {
    async fn of(world: &Concierge) -> Self {
        let session = |value: &Value| id(value.as_i64().unwrap());
        let entities = [("invoice", "inv_2001")];
        let alert = world
            .alert("invoice_duplicated", &entities)
            .await;
        let batch = world.stuck_batch().await;
        Self {
            alert: alert.id,
            actions: vec![world.proposed(&batch).await.remove(0)],
            one: session(&batch),
            other: session(&world.failed_payment().await),
        }
    }

    /// Every write that a request leads to.
    fn writes<'a>(
        &'a self,
        api: &'a Api,
        pending: &'a (dyn Fn() -> PendingWrite + Sync),
    ) -> Writes<'a> {
        let store: &Store = &api.store;
        writes![
            agent().open(pending(), self.alert, id(1)) of store,
            agent().approve(pending(), self.one, &Approving::of(&self.actions, id(1))) of store,
            agent().cancel(pending(), self.one) of store,
            agent().propose(pending(), self.other, nothing_found, "It failed.") of store,
        ]
    }
}

#[tokio::test]
async fn a_refusal_leaves_agent_sessions_as_they_are() {
    let world = Concierge::start().await;
    let existing = Sessions::of(&world).await;
    let unknown = Sessions {
        alert: id(99),
        one: id(99),
        other: id(99),
        actions: existing.actions.clone(),
    };
    let before = world.api.table_dump().await;
    let refused = || refused(&world.api);
    for sessions in [existing, unknown] {
        are_refused(sessions.writes(&world.api, &refused)).await;
    }
    assert_eq!(world.api.table_dump().await, before);
}

#[tokio::test]
async fn no_agent_session_is_written_before_the_authorization() {
    let world = Concierge::start().await;
    let sessions = Sessions::of(&world).await;
    let gate = Arc::new(Semaphore::new(0));
    let pending = || behind(&gate, &world.api);
    for (name, write) in sessions.writes(&world.api, &pending) {
        opens(&gate, &world.api, name, write)
            .await
            .expect(name);
    }
}

/// A write that is authorized when the gate opens.
fn behind(gate: &Arc<Semaphore>, api: &Api) -> PendingWrite {
    let gate = gate.clone();
    PendingWrite::new(api.home.id, async move {
        gate.acquire().await.unwrap().forget();
        Ok(None)
    })
}

/// Runs a write and opens the gate before it after a while in which nothing may be written.
async fn opens(
    gate: &Semaphore,
    api: &Api,
    name: &str,
    write: BoxFuture<'_, Result<(), Error>>,
) -> Result<(), Error> {
    let before = api.records().await;
    let watch = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let meanwhile = api.records().await;
        gate.add_permits(1);
        meanwhile
    };
    let both = Box::pin(async { tokio::join!(write, watch) });
    let (done, meanwhile) = comes(name, both).await;
    assert_eq!(meanwhile, before, "{name}");
    let left = gate.available_permits();
    assert_eq!(left, 0, "{name} waited for no authorization");
    done
}

#[track_caller]
fn done_or_gone(name: &str, done: &Result<(), Error>) {
    // A write before it may have deleted the record.
    let is_fine = matches!(done, Ok(()) | Err(Error::NotFound(_)));
    assert!(is_fine, "{name}: {done:?}");
}
