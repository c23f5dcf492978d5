//! Measured reads of each function, and the records that they find.

use serde_json::{Value, json};
use tests::Release;

use crate::{options::Options, served::Served};

const MILESTONES: usize = 5;
const COMMENTS: usize = 50;

/// A function and reads of it. The first read is also the read of its cold start.
#[derive(Debug)]
pub struct Function {
    pub name: &'static str,
    pub reads: &'static [Read],
}

/// A read that answers 200.
#[derive(Debug)]
pub struct Read {
    pub title: &'static str,
    pub path: &'static str,
    /// The most CPU time, as a multiple of the CPU time of its bare requests.
    pub most_cpu: Option<f64>,
}

const fn read(title: &'static str, path: &'static str) -> Read {
    Read {
        title,
        path,
        most_cpu: None,
    }
}

/// All that is measured.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "auth",
        reads: &[read("who is signed in", "/api/auth/session")],
    },
    Function {
        name: "service-requests",
        reads: &[read(
            "50 comments of a request",
            "/api/service-requests/1/comments",
        )],
    },
    Function {
        name: "directory",
        reads: &[
            read("11 users", "/api/users"),
            read("a project", "/api/projects/1"),
        ],
    },
    Function {
        name: "milestones",
        reads: &[
            read("5 milestones of a project", "/api/projects/1/milestones"),
            read("a milestone with 20 tasks", "/api/milestones/1"),
        ],
    },
    Function {
        name: "tasks",
        reads: &[
            Read {
                title: "100 joined tasks",
                path: "/api/tasks",
                most_cpu: Some(1.4),
            },
            read("100 tasks of a project", "/api/projects/1/tasks"),
        ],
    },
    Function {
        name: "activities",
        reads: &[
            read("100 activities", "/api/activities"),
            read("an activity", "/api/activities/1"),
            read("50 comments of an activity", "/api/activities/1/comments"),
        ],
    },
    Function {
        name: "managed-services",
        reads: &[
            read("the dashboard", "/api/managed-services/dashboard"),
            read(
                "a ticket with 20 messages",
                "/api/managed-services/ticket/1",
            ),
            read(
                "a search",
                "/api/managed-services/search-references?query=billing",
            ),
        ],
    },
    Function {
        name: "resolution-agent",
        reads: &[read("an agent session", "/api/concierge/agent-sessions/1")],
    },
];

/// Milestones of the project, each of every fifth task; comments on the first request and the first
/// activity; and an agent session on the alert.
pub async fn create_what_is_missing(world: &Release, options: &Options) {
    let send = async |function: &Served, method: &str, path: &str, body: Option<Value>| {
        let event = world.event(method, path, body.as_ref());
        function.expect(&event, 200).await
    };
    let milestones = Served::start(world, "milestones", &[]).await;
    let mut ids = Vec::new();
    for _ in 0..MILESTONES {
        let milestone = json!({"title": "Cut-over", "projectId": 1});
        ids.push(send(&milestones, "POST", "/api/milestones", Some(milestone)).await["id"].clone());
    }
    let tasks = Served::start(world, "tasks", &[]).await;
    let list = send(&tasks, "GET", "/api/tasks", None).await;
    for (task, milestone) in list
        .as_array()
        .unwrap()
        .iter()
        .zip(ids.iter().cycle())
    {
        let path = format!("/api/tasks/{}", task["id"]);
        let change = json!({"milestoneId": milestone});
        send(&tasks, "PATCH", &path, Some(change)).await;
    }
    for (function, path) in [
        ("service-requests", "/api/service-requests/1/comments"),
        ("activities", "/api/activities/1/comments"),
    ] {
        if !options.wants(function) {
            continue;
        }
        let function = Served::start(world, function, &[]).await;
        for _ in 0..COMMENTS {
            let comment = json!({"content": "It came back on Monday."});
            send(&function, "POST", path, Some(comment)).await;
        }
    }
    if options.wants("resolution-agent") {
        let agent = Served::start(world, "resolution-agent", &[]).await;
        let path = "/api/concierge/alerts/1/agent-session";
        send(&agent, "POST", path, None).await;
    }
}
