//! Records as tests and benchmarks put them into the table: each is written out here and nowhere
//! else. Who needs another one says what is different.

use std::collections::BTreeMap;

use shared::{
    auth::Sid,
    model::{
        ActivityType, Priority, ProjectId, ProjectStatus, Role, ServiceStatus, Session,
        SignalStatus, TaskStatus, Thread, Timestamp, User, UserId,
    },
    store::{
        NewActivity, NewComment, NewMessage, NewProject, NewServiceRequest, NewSignal, NewTask,
        NewTicket, NewUser,
    },
};

/// A user of this name, called "Ada Tester" if it is "ada".
#[must_use]
pub fn user(name: &str, role: Role, password_hash: &str) -> NewUser {
    NewUser {
        username: name.to_owned(),
        full_name: format!("{}{} Tester", name[..1].to_uppercase(), &name[1..]),
        role,
        extra_permissions: Vec::new(),
        password_hash: password_hash.to_owned(),
    }
}

/// A session that begins now.
#[must_use]
pub fn session(sid: &Sid, user: &User, now: Timestamp) -> Session {
    Session {
        sid_hash: sid.hash(),
        organization_id: user.organization_id,
        user_id: user.id,
        epoch: user.session_epoch,
        created_at: now,
        touched_at: now,
    }
}

/// An active project.
#[must_use]
pub fn project(title: &str) -> NewProject {
    NewProject {
        title: title.to_owned(),
        description: None,
        status: ProjectStatus::Active,
    }
}

/// A task of a project that is to do.
#[must_use]
pub fn task(project: ProjectId) -> NewTask {
    NewTask {
        title: "Compare the invoices of both systems".to_owned(),
        description: None,
        project_id: Some(project),
        organization_id: None,
        milestone_id: None,
        phase_id: None,
        assignee_id: None,
        status: TaskStatus::Todo,
        priority: Priority::Medium,
        due_date: None,
    }
}

/// A note that somebody took now, about the organization at large.
#[must_use]
pub fn activity(creator: UserId) -> NewActivity {
    NewActivity {
        timestamp: None,
        kind: ActivityType::Note,
        subtype: None,
        description: "Called back".to_owned(),
        project_id: None,
        creator_id: creator,
        metadata: None,
        evidence: None,
    }
}

/// A request of medium priority about nothing in particular.
#[must_use]
pub fn service_request(creator: UserId) -> NewServiceRequest {
    NewServiceRequest {
        title: "Help".to_owned(),
        description: None,
        priority: Priority::Medium,
        category: None,
        creator_id: creator,
        reference: None,
    }
}

/// A comment that replies to none.
#[must_use]
pub fn comment(thread: Thread, author: UserId, content: &str) -> NewComment {
    NewComment {
        thread,
        author,
        content: content.to_owned(),
        parent_id: None,
    }
}

/// An open ticket without messages.
#[must_use]
pub fn ticket() -> NewTicket {
    NewTicket {
        title: "No invoices".to_owned(),
        status: ServiceStatus::Open,
        priority: Priority::High,
        assignee_id: None,
        created_at: None,
        resolved_at: None,
        messages: Vec::new(),
    }
}

/// A message of a new ticket; without a time, of now.
#[must_use]
pub fn message(author: UserId, content: &str, created_at: Option<Timestamp>) -> NewMessage {
    NewMessage {
        user_id: author,
        content: content.to_owned(),
        created_at,
    }
}

/// An open signal of this class, under an external id of its own.
#[must_use]
pub fn signal(class: &str, occurred_at: Timestamp) -> NewSignal {
    NewSignal {
        source: "billing-monitor".to_owned(),
        external_id: shared::random::token(),
        signal_type: class.to_owned(),
        severity: "error".to_owned(),
        status: SignalStatus::Open,
        title: format!("A signal of {class}"),
        description: None,
        target_system: "billing".to_owned(),
        entities: Vec::new(),
        labels: BTreeMap::new(),
        metric: None,
        amount_at_risk: None,
        lifecycle: Vec::new(),
        occurred_at,
    }
}
