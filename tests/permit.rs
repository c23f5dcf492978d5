//! Writes that do not wait for their permit, until they write.

use std::{future::ready, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use serde_json::Value;
use shared::{
    model::{
        ActivityId, ActivityType, AgentSessionId, Error, Id, MilestoneId, MilestoneStatus,
        Priority, ProjectId, ProjectStatus, ReferenceType, Role, ServiceRequestId, ServiceStatus,
        SignalId, SignalStatus, TagId, TaskId, TaskStatus, Thread, TicketId, UserId,
    },
    store::{
        NewActivity, NewComment, NewMilestone, NewProject, NewServiceRequest, NewSignal, NewTask,
        NewTicket, NewUser, Permit, Store, TaskPatch, TaskPlace,
    },
};
use tokio::sync::Semaphore;

use crate::{
    budgets::WRITE,
    support::{Api, Concierge},
};

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

fn task(project: i64) -> NewTask {
    NewTask {
        title: "Read meters".into(),
        description: None,
        project_id: Some(id(project)),
        organization_id: None,
        milestone_id: None,
        phase_id: None,
        assignee_id: None,
        status: TaskStatus::Todo,
        priority: Priority::Low,
        due_date: None,
    }
}

fn milestone(project: i64) -> NewMilestone {
    NewMilestone {
        title: "Cut-over".into(),
        description: None,
        project_id: id(project),
        start_date: None,
        due_date: None,
        status: MilestoneStatus::Pending,
    }
}

fn activity(project: i64) -> NewActivity {
    NewActivity {
        timestamp: None,
        kind: ActivityType::Note,
        subtype: None,
        description: "Called back".into(),
        project_id: Some(id(project)),
        creator_id: id(1),
        metadata: None,
        evidence: None,
    }
}

fn request(project: i64) -> NewServiceRequest {
    NewServiceRequest {
        title: "Help".into(),
        description: None,
        priority: Priority::Low,
        category: None,
        creator_id: id(1),
        reference: Some((ReferenceType::Project, project)),
    }
}

fn comment(request: i64) -> NewComment {
    NewComment {
        thread: Thread::ServiceRequest(id(request)),
        author: id(1),
        content: "Any news?".into(),
        parent_id: None,
    }
}

fn ticket() -> NewTicket {
    NewTicket {
        title: "No invoices".into(),
        status: ServiceStatus::Open,
        priority: Priority::High,
        assignee_id: None,
        created_at: None,
        resolved_at: None,
        messages: Vec::new(),
    }
}

fn project() -> NewProject {
    NewProject {
        title: "Move".into(),
        description: None,
        status: ProjectStatus::Active,
    }
}

fn user() -> NewUser {
    NewUser {
        username: "newcomer".into(),
        full_name: "New Comer".into(),
        role: Role::Viewer,
        extra_permissions: Vec::new(),
        password_hash: String::new(),
    }
}

fn signal(api: &Api) -> NewSignal {
    NewSignal {
        source: "monitor".into(),
        external_id: "1".into(),
        signal_type: "late_invoice".into(),
        severity: "warning".into(),
        status: SignalStatus::Open,
        title: "Late".into(),
        description: None,
        target_system: "demo".into(),
        entities: Vec::new(),
        labels: [].into(),
        metric: None,
        amount_at_risk: None,
        lifecycle: Vec::new(),
        occurred_at: api.clock.now(),
    }
}

/// Every write that a request leads to, of the records with the id `n` and of project `n`.
fn writes<'a>(api: &'a Api, permit: &'a (dyn Fn() -> Permit + Sync), n: i64) -> Writes<'a> {
    let store: &Store = &api.store;
    writes![
        tasks().create(permit(), task(n)) of store,
        tasks().update(permit(), id::<TaskId>(n), TaskPatch::default()) of store,
        tasks().reorder(permit(), &[TaskPlace { id: id(n), order: 7 }]) of store,
        tasks().delete(permit(), id::<TaskId>(n)) of store,
        milestones().create(permit(), milestone(n)) of store,
        milestones().update(permit(), id::<MilestoneId>(n), |_| Ok(())) of store,
        milestones().delete(permit(), id::<MilestoneId>(n)) of store,
        activities().create(permit(), activity(n)) of store,
        activities().attach_tag(permit(), id::<ActivityId>(n), id::<TagId>(n)) of store,
        activities().detach_tag(permit(), id::<ActivityId>(n), id::<TagId>(n)) of store,
        service_requests().create(permit(), request(n)) of store,
        comments().create(permit(), comment(n)) of store,
        service_requests().delete(permit(), id::<ServiceRequestId>(n), async |_| Ok(())) of store,
        tickets().create(permit(), ticket()) of store,
        tickets().reply(permit(), id::<TicketId>(n), id(1), "Soon.") of store,
        signals().create(permit(), signal(api)) of store,
        directory().create_project(permit(), project()) of store,
        directory().create_phase(permit(), id::<ProjectId>(n), "Build".into(), 1) of store,
        directory().create_tag(permit(), "urgent".into()) of store,
        directory().create_user(permit(), user()) of store,
        directory().disable_user(permit(), id::<UserId>(n), true) of store,
    ]
}

/// An organization with one record of each kind, whose id is 1.
async fn with_records() -> Api {
    let api = Api::start().await;
    let ada = api.user("ada").await;
    assert_eq!(ada.id.get(), 1);
    let (store, tenant) = (&api.store, api.home.id);
    store.tasks().create(tenant, task(1)).await.unwrap();
    store
        .milestones()
        .create(tenant, milestone(1))
        .await
        .unwrap();
    store
        .activities()
        .create(tenant, activity(1))
        .await
        .unwrap();
    let requests = store.service_requests();
    requests.create(tenant, request(1)).await.unwrap();
    store.tickets().create(tenant, ticket()).await.unwrap();
    let directory = store.directory();
    directory.create_tag(tenant, "late".into()).await.unwrap();
    api
}

/// The table without the ids given out, which a refused create may use up.
async fn rows(api: &Api) -> Vec<String> {
    let mut items = api.table_dump().await;
    items.retain(|item| !item.contains("COUNTER"));
    items
}

#[tokio::test]
async fn a_refused_permit_writes_nothing_and_comes_before_what_the_reads_find() {
    let api = with_records().await;
    let before = rows(&api).await;
    let refused = || {
        let why = Error::forbidden("missing_permission", "refused");
        Permit::pending(api.home.id, ready(Err(why)))
    };
    for n in [1, 99] {
        for (name, write) in writes(&api, &refused, n) {
            let error = write.await.expect_err(name);
            assert!(
                matches!(&error, Error::Forbidden { .. }),
                "{name} of {n}: {error}"
            );
        }
    }
    assert_eq!(rows(&api).await, before);
}

#[tokio::test]
async fn a_write_reads_beside_its_permit_and_waits_for_it() {
    // The permit asks the table, as authentication does, and takes longer than all other reads.
    let slow = |api: &Api| {
        let (store, tenant) = (api.store.clone(), api.home.id);
        Permit::pending(tenant, async move {
            let hash = "of nobody's session";
            store.sign_in().caller(tenant, id(1), hash).await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(())
        })
    };
    let api = with_records().await;
    let permit = || slow(&api);
    for (name, write) in writes(&api, &permit, 1) {
        api.counter.take();
        let done = write.await;
        let used = api.counter.take();
        done_or_gone(name, &done);
        assert!(used.in_sequence <= 2, "{name}: {used:?}");
        // One more: the permit's.
        assert!(used.total <= WRITE.total + 1, "{name}: {used:?}");
    }
}

#[tokio::test]
async fn nothing_is_written_before_the_permit_is_given() {
    let api = with_records().await;
    let gate = Arc::new(Semaphore::new(0));
    let permit = || behind(&gate, &api);
    for (name, write) in writes(&api, &permit, 1) {
        done_or_gone(name, &opens(&gate, &api, name, write).await);
    }
}

/// What the writes of agent sessions are about: a signal without a session, a session with a
/// proposal whose first action can be approved, and another one.
struct Sessions {
    signal: SignalId,
    one: AgentSessionId,
    actions: Vec<String>,
    other: AgentSessionId,
}

impl Sessions {
    async fn of(world: &Concierge) -> Self {
        let session = |value: &Value| id(value.as_i64().unwrap());
        let entities = [("invoice", "inv_2001")];
        let signal = world.signal("invoice_duplicated", &entities).await;
        let one = world.stuck_batch().await;
        Self {
            signal: signal.id,
            actions: vec![world.proposed(&one).await.remove(0)],
            one: session(&one),
            other: session(&world.failed_payment().await),
        }
    }

    /// Every write that a request leads to.
    fn writes<'a>(&'a self, api: &'a Api, permit: &'a (dyn Fn() -> Permit + Sync)) -> Writes<'a> {
        let store: &Store = &api.store;
        writes![
            agent().open(permit(), self.signal, id(1)) of store,
            agent().approve(permit(), self.one, &self.actions, None) of store,
            agent().cancel(permit(), self.one) of store,
            agent().begin_analysis(permit(), self.other) of store,
        ]
    }
}

#[tokio::test]
async fn a_refused_permit_leaves_agent_sessions_as_they_are() {
    let world = Concierge::start().await;
    let known = Sessions::of(&world).await;
    let unknown = Sessions {
        signal: id(99),
        one: id(99),
        other: id(99),
        actions: known.actions.clone(),
    };
    let before = world.api.table_dump().await;
    let refused = || {
        let why = Error::forbidden("missing_permission", "refused");
        Permit::pending(world.api.home.id, ready(Err(why)))
    };
    for sessions in [known, unknown] {
        for (name, write) in sessions.writes(&world.api, &refused) {
            let error = write.await.expect_err(name);
            assert!(matches!(&error, Error::Forbidden { .. }), "{name}: {error}");
        }
    }
    assert_eq!(world.api.table_dump().await, before);
}

#[tokio::test]
async fn no_agent_session_is_written_before_the_permit_is_given() {
    let world = Concierge::start().await;
    let sessions = Sessions::of(&world).await;
    let gate = Arc::new(Semaphore::new(0));
    let permit = || behind(&gate, &world.api);
    for (name, write) in sessions.writes(&world.api, &permit) {
        opens(&gate, &world.api, name, write).await.expect(name);
    }
}

/// A permit that is given when the gate opens.
fn behind(gate: &Arc<Semaphore>, api: &Api) -> Permit {
    let gate = gate.clone();
    Permit::pending(api.home.id, async move {
        gate.acquire().await.unwrap().forget();
        Ok(())
    })
}

/// Runs a write and opens the gate before it after a while in which nothing may be written.
async fn opens(
    gate: &Semaphore,
    api: &Api,
    name: &str,
    write: BoxFuture<'_, Result<(), Error>>,
) -> Result<(), Error> {
    let before = rows(api).await;
    let watch = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let meanwhile = rows(api).await;
        gate.add_permits(1);
        meanwhile
    };
    let (done, meanwhile) = tokio::join!(write, watch);
    assert_eq!(meanwhile, before, "{name}");
    assert_eq!(gate.available_permits(), 0, "{name} asked for no permit");
    done
}

#[track_caller]
fn done_or_gone(name: &str, done: &Result<(), Error>) {
    // A write before it may have deleted the record.
    assert!(
        matches!(done, Ok(()) | Err(Error::NotFound(_))),
        "{name}: {done:?}"
    );
}
