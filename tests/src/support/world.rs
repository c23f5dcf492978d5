//! A world with a record for every operation, and for each a request that it accepts.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    http::operation::NEEDS,
    model::{
        base::TokenId,
        people::{Held, User},
        work::ServiceStatus,
    },
    store::work::{NewTicket, Past},
};
use tokio::sync::Mutex;

use crate::records;

use super::{
    Answer, Api, Caller, Concierge, OidcProvider, PASSWORD, Settings,
    operations::{Operation, operations},
};

/// The id of a notification of the user who may do everything.
const NOTIFICATION: &str = "1768478400000-comment-3-1";

/// Organization 1 with records that give each operation as much to do as possible.
pub struct World {
    pub concierge: Concierge,
    /// The user who may do everything, and who owns the records.
    pub max: User,
    /// A user with a variable role, and one with a variable password.
    others: [String; 2],
    /// An alert whose session has ended.
    alert: String,
    /// A session that is to be analysed.
    started: String,
    /// A session with a proposal, and an action of it.
    proposed: (String, String),
    /// Another session with a proposal.
    unwanted: String,
    /// A session with an action that waits for the worker.
    executing: String,
    /// A session with an action whose outcome is unknown. Its journal names an excerpt.
    unknown: (String, String),
    /// A session and its manual action.
    manual: (String, String),
    /// A delivery of webhook 1.
    delivery: String,
    /// A token of max.
    token: String,
    /// A session of max.
    session: String,
    /// Another user and a token of theirs.
    token_of_another: (String, String),
    /// The provider of the organization, with the state of a sign-in and its callback.
    provider: OidcProvider,
    state: Option<String>,
    callback: String,
    /// An invitation to send again, and one to delete.
    invitations: [String; 2],
    /// The tokens of links: of an invitation, for a forgotten password, and to a new address.
    links: [String; 3],
    /// The token of the newest script, which goes when there is another.
    script: Mutex<Option<TokenId>>,
}

/// A request to an operation, which accepts it from those who may.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub method: String,
    /// The operation's path.
    pub template: String,
    /// The path with the ids of records that are there.
    pub path: String,
    pub body: Option<Value>,
    /// The needs of its caller by the document; none when every caller may.
    pub needs: Option<Vec<String>>,
    /// Takes a token as well as a session.
    pub takes_tokens: bool,
}

impl Request {
    /// The operation's name.
    pub fn operation(&self) -> String {
        format!("{} {}", self.method, self.template)
    }

    /// Its caller, with a session of their own, who does not wait for results. It is max, unless
    /// that would end the sessions of max.
    pub async fn caller(&self, concierge: &Concierge) -> Caller {
        let username = match self.operation().as_str() {
            // A sign-in of max takes more from a network that he does not know.
            "PUT /api/auth/email" => "vic",
            "PUT /api/auth/password" => "mia",
            // Of whom no other request ends the sessions at the same time.
            "DELETE /api/auth/sessions" => "zoe",
            _ => "max",
        };
        let user = concierge.api.user(username).await;
        let caller = concierge.api.session_of(&user).await;
        caller.with_header("prefer", "respond-async")
    }

    /// The operation.
    pub fn described(&self) -> &'static Operation {
        Operation::of(&self.method, &self.template)
    }

    /// Sends it.
    pub async fn by(&self, caller: &Caller) -> Answer {
        let body = self.body.as_ref().map(Value::to_string);
        caller
            .send(&self.method, &self.path, body)
            .await
    }

    /// Sends it, and asserts a success. A sign-in succeeds with a redirect.
    pub async fn succeeds(&self, caller: &Caller) -> Answer {
        let answer = self.by(caller).await;
        let is_done = answer.status < 300 || answer.status == 302;
        assert!(is_done, "{}: {}", self.operation(), answer.text);
        answer
    }
}

/// The path with this id for each of its parameters.
pub fn example(path: &str, id: &str) -> String {
    let is_parameter = |segment: &str| segment.starts_with('{');
    let segments = path.split('/');
    let segments = segments.map(|segment| if is_parameter(segment) { id } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

impl World {
    pub async fn start() -> Self {
        // The future is large.
        Box::pin(Self::start_in(Settings::default())).await
    }

    pub async fn start_in(settings: Settings) -> Self {
        // The future is large.
        let concierge = Box::pin(Concierge::start_in(settings)).await;
        let api = &concierge.api;
        may_do_all(api, &concierge.max).await;
        Box::pin(has_work(api, &concierge.max)).await;
        Box::pin(has_requests_and_tickets(api, &concierge.max)).await;
        api.has_notification(&concierge.max, NOTIFICATION)
            .await;
        api.indexes(api.home.id).await;
        let alert = concierge
            .alert("payment_failed", &[])
            .await;
        let ended = concierge.opened(&alert).await;
        concierge
            .cancels(&ended)
            .await
            .expect(200);
        let started = concierge.stuck_batch().await;
        let proposed = concierge.stuck_batch().await;
        let action = concierge
            .proposed(&proposed)
            .await
            .remove(0);
        let unwanted = concierge.stuck_batch().await;
        concierge.proposed(&unwanted).await;
        let (executing, _) = concierge.approved_message().await;
        let (session, sent) = concierge
            .unknown_and_unsent("cus_503")
            .await;
        let unknown = (session.to_string(), sent);
        let (session, action_by_hand) = concierge.manual_review().await;
        let manual = (session.to_string(), action_by_hand);
        let delivery = has_webhooks(&concierge).await;
        let body = json!({"name": "export"});
        let token = concierge
            .max
            .creates("/api/tokens", body)
            .await
            .to_string();
        let provider = OidcProvider::start(&api.clock).await;
        let (state, callback) = has_sign_in(api, &concierge.max, &provider).await;
        let (invitations, links) = has_links(api).await;
        let max = api.user("max").await;
        let now = api.clock.now();
        let sid = records::signed_in(&api.store, &max, now).await;
        let session = records::session(&sid, &max, now).public_id();
        let vic = api.user("vic").await;
        let (_, of_vic) = api
            .token_and_id_of(&vic, json!({}))
            .await;
        Self {
            max,
            others: [api.user("mia").await, api.user("sue").await].map(|user| user.id.to_string()),
            alert: alert.id.to_string(),
            started: started.to_string(),
            proposed: (proposed.to_string(), action),
            unwanted: unwanted.to_string(),
            executing: executing.to_string(),
            unknown,
            manual,
            delivery,
            provider,
            state,
            callback,
            token,
            invitations,
            links,
            session,
            token_of_another: (vic.id.to_string(), of_vic.to_string()),
            script: Mutex::default(),
            concierge,
        }
    }

    /// Sets the organization's provider.
    pub async fn has_provider(&self) {
        let path = "/api/organizations/1/sign-in";
        let put = self.provider.put(&json!({}));
        self.caller()
            .await
            .puts(path, put)
            .await;
    }

    /// A session whose alert can be analysed.
    pub fn session_to_analyse(&self) -> &str {
        &self.started
    }

    pub const fn api(&self) -> &Api {
        &self.concierge.api
    }

    /// A caller who does not wait for results, with a session of their own.
    pub async fn caller(&self) -> Caller {
        let caller = self.api().session_of(&self.max).await;
        caller.with_header("prefer", "respond-async")
    }

    /// Sends a request of its caller, and asserts a success.
    pub async fn sends(&self, request: &Request) -> Answer {
        request
            .succeeds(&self.caller_of(request).await)
            .await
    }

    pub async fn caller_of(&self, request: &Request) -> Caller {
        if request
            .operation()
            .starts_with("GET /api/auth/oidc/callback")
        {
            let state = self.state.clone().unwrap_or_default();
            return self
                .api()
                .anonymous()
                .with_cookie(state);
        }
        request.caller(&self.concierge).await
    }

    /// As [`caller`](Self::caller), with a token that was used today.
    pub async fn script(&self) -> Caller {
        let mut newest = self.script.lock().await;
        if let Some(id) = newest.take() {
            let path = format!("/api/tokens/{id}");
            self.caller().await.delete(&path).await;
        }
        let (script, id) = self
            .api()
            .token_and_id_of(&self.max, json!({}))
            .await;
        *newest = Some(id);
        script.reads("/api/auth/session").await;
        self.api().counter.take();
        script.with_header("prefer", "respond-async")
    }

    /// A request to every operation of the document. They can be sent one after another in this
    /// order, or all at once.
    pub fn requests(&self) -> Vec<Request> {
        let requests = operations().iter().map(|operation| {
            let Operation { method, path, .. } = operation;
            let name = operation.name();
            Request {
                method: (*method).to_owned(),
                template: path.clone(),
                path: (self.path(&name)).unwrap_or_else(|| example(path, self.id(&name))),
                body: operation.takes_body().then(|| {
                    let body = self.body(&name);
                    body.unwrap_or_else(|| panic!("no body: {name}"))
                }),
                needs: operation.described.get(NEEDS).map(|_| {
                    let needs = operation.needs().into_iter();
                    needs.map(str::to_owned).collect()
                }),
                takes_tokens: operation.takes_tokens(),
            }
        });
        let mut requests: Vec<_> = requests.collect();
        // The test of the provider comes before its deletion.
        requests
            .sort_by_key(|request| request.operation() == "DELETE /api/organizations/{id}/sign-in");
        requests
    }

    /// The path of an operation whose path needs more than one id, or a query.
    fn path(&self, operation: &str) -> Option<String> {
        let of_action = |(session, action): &(String, String), verb: &str| {
            format!("/api/concierge/agent-sessions/{session}/actions/{action}/{verb}")
        };
        if let Some(verb) = operation
            .split("/actions/{actionId}/")
            .nth(1)
        {
            let is_settled = verb == "settle";
            let action = if is_settled {
                &self.unknown
            } else {
                &self.manual
            };
            return Some(of_action(action, verb));
        }
        Some(match operation {
            // It finds comments, of which the parents are read as well.
            "GET /api/search" => "/api/search?query=works".to_owned(),
            "GET /api/auth/sign-in" => "/api/auth/sign-in?username=max".to_owned(),
            "GET /api/auth/oidc" => "/api/auth/oidc?organization=1".to_owned(),
            "GET /api/auth/oidc/callback/{organization}" => self.callback.clone(),
            "GET /api/auth/oidc/callback" => "/api/auth/oidc/callback?state=x".to_owned(),
            // It ends mails of organization 1's second user.
            "GET /api/notifications/unsubscribe" | "POST /api/notifications/unsubscribe" => {
                let link = self
                    .api()
                    .links()
                    .signed("1.2.assigned");
                format!("/api/notifications/unsubscribe?link={link}")
            }
            "DELETE /api/users/{id}/tokens/{tokenId}" => {
                let (user, token) = &self.token_of_another;
                format!("/api/users/{user}/tokens/{token}")
            }
            operation if operation.ends_with("/redeliver") => {
                format!("/api/webhooks/1/deliveries/{}/redeliver", self.delivery)
            }
            "PATCH /api/managed-services/ticket/{ticketId}/messages/{messageId}" => {
                "/api/managed-services/ticket/2/messages/2".to_owned()
            }
            "DELETE /api/managed-services/ticket/{ticketId}/messages/{messageId}" => {
                "/api/managed-services/ticket/3/messages/3".to_owned()
            }
            "PUT /api/projects/{projectId}/members/{userId}" => {
                format!("/api/projects/1/members/{}", self.others[0])
            }
            "DELETE /api/projects/{projectId}/members/{userId}" => {
                format!("/api/projects/1/members/{}", self.others[1])
            }
            "PUT /api/service-requests/{id}/tags/{tagId}" => {
                "/api/service-requests/1/tags/2".to_owned()
            }
            "PUT /api/managed-services/tickets/{id}/tags/{tagId}" => {
                "/api/managed-services/tickets/1/tags/2".to_owned()
            }
            operation if operation.ends_with("/comments/{commentId}") => {
                let threads = ["service-requests", "activities", "tasks"];
                let place = threads
                    .iter()
                    .position(|thread| operation.contains(thread))?;
                // The deleted comment is not the edited one.
                let first = if operation.starts_with("DELETE") {
                    4
                } else {
                    1
                };
                format!("/api/{}/1/comments/{}", threads[place], first + place)
            }
            _ => return None,
        })
    }

    /// The id of the record in an operation's path. What is deleted or moved to another state has
    /// one of its own.
    fn id(&self, operation: &str) -> &str {
        match operation {
            "PATCH /api/users/{id}" => &self.others[0],
            "PUT /api/users/{id}/password" => &self.others[1],
            "POST /api/invitations/{id}/send" => &self.invitations[0],
            "DELETE /api/invitations/{id}" => &self.invitations[1],
            "DELETE /api/tags/{id}" => "3",
            "DELETE /api/milestones/{id}"
            | "DELETE /api/phases/{id}"
            | "DELETE /api/tasks/{id}"
            | "DELETE /api/activities/{id}"
            | "DELETE /api/service-requests/{id}"
            | "DELETE /api/webhooks/{id}" => "2",
            "DELETE /api/tokens/{id}" => &self.token,
            "DELETE /api/auth/sessions/{id}" => &self.session,
            "GET /api/users/{id}/tokens"
            | "GET /api/users/{id}/sessions"
            | "DELETE /api/users/{id}/sessions" => &self.token_of_another.0,
            "POST /api/concierge/alerts/{id}/agent-session" => &self.alert,
            "POST /api/concierge/agent-sessions/{id}/propose" => &self.started,
            "POST /api/concierge/agent-sessions/{id}/execute"
            | "POST /api/concierge/agent-sessions/{id}/preview" => &self.proposed.0,
            "POST /api/concierge/agent-sessions/{id}/reject" => &self.unwanted,
            "POST /api/concierge/agent-sessions/{id}/cancel" => &self.executing,
            "GET /api/concierge/agent-sessions/{id}/journal" => &self.unknown.0,
            "DELETE /api/concierge/connections/{name}" => "notifications",
            operation if operation.contains("/connections/{name}") => "billing",
            _ => "1",
        }
    }

    /// The body of an operation on accounts.
    fn account(&self, operation: &str) -> Option<Value> {
        Some(match operation {
            "POST /api/auth/login" => json!({"username": "max", "password": PASSWORD}),
            "POST /api/auth/accept" => json!({
                "token": self.links[0], "username": "invitee", "fullName": "In Vitee",
                "password": PASSWORD,
            }),
            "POST /api/auth/forgot" => json!({"username": "zoe"}),
            "POST /api/auth/reset" => json!({"token": self.links[1], "password": PASSWORD}),
            "PUT /api/auth/email" => json!({"email": "max@example.com", "password": PASSWORD}),
            "POST /api/auth/email/confirm" => json!({"token": self.links[2]}),
            "POST /api/invitations" => json!({"email": "new@example.com", "role": "admin"}),
            "PUT /api/auth/password" => {
                json!({"currentPassword": PASSWORD, "newPassword": "another horse battery staple"})
            }
            "POST /api/users" => json!({
                "username": "newcomer", "fullName": "New Comer", "role": "admin",
                "password": PASSWORD, "permissions": ["manage_tickets"],
            }),
            // One more admin, who has to be counted.
            "PATCH /api/users/{id}" => json!({"fullName": "Alexandra"}),
            "PUT /api/users/{id}/password" => json!({"password": "another long one"}),
            "POST /api/tokens" => json!({"name": "nightly", "permissions": ["view_work"]}),
            _ => return None,
        })
    }

    /// A body with all that an operation has to look up.
    fn body(&self, operation: &str) -> Option<Value> {
        Some(match operation {
            "POST /api/managed-services/request" => {
                json!({"title": "Help", "referenceType": "project", "referenceId": 1, "customerId": 1})
            }
            "POST /api/managed-services/ticket/{ticketId}/reply" => json!({"content": "Soon."}),
            "PATCH /api/managed-services/ticket/{ticketId}/messages/{messageId}" => {
                json!({"content": "Where are the invoices?"})
            }
            "PATCH /api/organizations/{id}" => json!({"name": "Renamed"}),
            "PUT /api/organizations/{id}/sign-in" => self
                .provider
                .put(&json!({"roles": {"Staff": "support"}})),
            "POST /api/notifications/read" => json!({"ids": [NOTIFICATION]}),
            "PUT /api/notifications/preferences" => json!({"commented": false}),
            "POST /api/projects" => {
                json!({"title": "Move", "customerId": 1, "visibility": "members"})
            }
            "POST /api/customers" => {
                json!({"name": "Longhaul Imports", "domains": ["longhaul.example"]})
            }
            "PATCH /api/customers/{id}" => json!({"name": "Ferro", "domains": ["ferro.test"]}),
            "PATCH /api/projects/{id}" => json!({"title": "Renamed", "status": "on_hold"}),
            "POST /api/projects/{projectId}/phases" => json!({"title": "Test"}),
            "POST /api/tags" => json!({"name": "new"}),
            "PATCH /api/tags/{id}" => json!({"name": "renamed"}),
            "POST /api/milestones" => json!({"title": "Go live", "projectId": 1}),
            "PATCH /api/phases/{id}" | "PUT /api/milestones/{id}" => json!({"title": "Renamed"}),
            "POST /api/tasks" => json!({
                "title": "Send the invoices", "projectId": 1, "organizationId": 1,
                "milestoneId": 1, "phaseId": 1, "assigneeId": self.max.id,
            }),
            // It keeps its milestone, which has to be looked at.
            "PATCH /api/tasks/{id}" => json!({"title": "Renamed", "assigneeId": self.max.id}),
            "PATCH /api/tasks/{taskId}/phase" => json!({"phaseId": null}),
            "PATCH /api/tasks/reorder" => {
                json!({"tasks": [{"id": 1, "order": 7}, {"id": 3, "order": 8}]})
            }
            "POST /api/tasks/{id}/move" => json!({"after": 3}),
            "POST /api/activities" => {
                json!({"type": "note", "description": "Called back", "projectId": 1})
            }
            "PATCH /api/activities/{id}" => json!({"timestamp": "2026-01-14T12:00:00Z"}),
            "POST /api/service-requests/{serviceRequestId}/comments" => {
                json!({"content": "Any news?", "parentId": 1})
            }
            "POST /api/activities/{activityId}/comments" => {
                json!({"content": "Any news?", "parentId": 2})
            }
            "POST /api/tasks/{taskId}/comments" => json!({"content": "Any news?", "parentId": 3}),
            "PATCH /api/service-requests/{serviceRequestId}/comments/{commentId}"
            | "PATCH /api/activities/{activityId}/comments/{commentId}"
            | "PATCH /api/tasks/{taskId}/comments/{commentId}" => json!({"content": "Better put."}),
            "POST /api/activities/{activityId}/tags" | "POST /api/tasks/{taskId}/tags" => {
                json!({"tagId": 2})
            }
            "PATCH /api/service-requests/{id}"
            | "PATCH /api/managed-services/ticket/{ticketId}" => {
                json!({"status": "open", "assigneeId": self.max.id})
            }
            "POST /api/managed-services/tickets" => json!({
                "title": "No invoices", "description": "Since Monday.", "assigneeId": self.max.id,
                "customerId": 1,
            }),
            "POST /api/concierge/alerts" => json!({
                "source": "billing-monitor", "externalId": "late-inv_1", "severity": "error",
                "signalType": "invoice_late", "title": "Invoice inv_1 is late",
                "targetSystem": "billing", "entities": [{"type": "invoice", "id": "inv_1"}],
            }),
            "POST /api/concierge/alerts/alertmanager" => json!({"version": "4", "alerts": [{
                "status": "firing", "labels": {"alertname": "InvoiceLate", "connection": "billing"},
                "annotations": {}, "startsAt": "2026-01-15T11:00:00Z", "fingerprint": "c0ffee",
            }]}),
            "PATCH /api/concierge/alerts/{id}" => json!({"status": "acknowledged"}),
            "POST /api/concierge/agent-sessions/{id}/execute"
            | "POST /api/concierge/agent-sessions/{id}/preview" => {
                json!({"actionIds": [self.proposed.1]})
            }
            "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle" => {
                json!({"outcome": "done", "note": "The log has it."})
            }
            "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over" => {
                json!({"assigneeId": self.max.id, "note": "Before Monday."})
            }
            "POST /api/concierge/agent-sessions/{id}/reject" => json!({"reason": "It was paid."}),
            // Nothing that keeps other requests from being accepted.
            "PUT /api/concierge/policy" => json!({"caps": {"actions": 1000}}),
            "POST /api/webhooks" => json!({"url": self.concierge.demo.url(), "types": ["tag.*"]}),
            "PATCH /api/webhooks/{id}" => json!({"description": "Renamed"}),
            "PUT /api/concierge/connections/{name}" => {
                self.concierge.demo.connections()["billing"].clone()
            }
            _ => return self.account(operation),
        })
    }
}

/// Max holds what only an admin does.
async fn may_do_all(api: &Api, max: &Caller) {
    let ada = api.user("ada").await;
    let permissions = json!({"permissions": ["manage_users", "manage_organization"]});
    let directory = api.store.directory();
    let ada = async || Ok(Held::newly(&ada));
    let tenant = api.home.id;
    let max = max.user.unwrap();
    let update = records::sent(&permissions);
    let max = directory.update_user(tenant, ada, max, update, None);
    max.await.unwrap();
}

/// Two invitations, and the tokens of further links: of an invitation, for a password that zac
/// forgot, and to a new address of zoe, who has a verified one.
async fn has_links(api: &Api) -> ([String; 2], [String; 3]) {
    let ada = api.user("ada").await;
    let zoe = api.user("zoe").await;
    let zed = api.user("zed").await;
    let mut invited = Vec::new();
    for name in ["one", "two", "three"] {
        let body = json!({"email": format!("{name}@example.com"), "role": "member"});
        invited.push(api.has_invitation(&ada, body).await);
    }
    for (user, email) in [(&zoe, "zoe@example.com"), (&zed, "zed@example.com")] {
        api.has_verified(user, email).await;
    }
    let reset = api
        .has_link_to_reset("zed@example.com")
        .await;
    let confirm = api
        .has_link_to_confirm(&zoe, "other@example.com")
        .await;
    let ids = [invited[0].0.to_string(), invited[1].0.to_string()];
    (ids, [invited[2].1.clone(), reset, confirm])
}

/// Milestones 1 and 2, tasks 1 to 3, phase 1, and activities 1 and 2, all of project 1. Task 1 has
/// every field. Task 1 and activity 1 carry tag 1; phase 2 and tags 2 and 3 are on nothing.
/// Customer 1 has a domain. Project 1 has a member, the user with a variable password.
async fn has_work(api: &Api, max: &Caller) {
    let customer = json!({"name": "Brightwater Foods", "domains": ["brightwater.example"]});
    max.posts("/api/customers", customer)
        .await;
    let member = api.user("sue").await.id;
    let path = format!("/api/projects/1/members/{member}");
    max.send("PUT", &path, None)
        .await
        .expect(204);
    let [phase, ..] = api.has_phases().await;
    for _ in 0..2 {
        max.creates_milestone(json!({})).await;
    }
    let links = json!({"milestoneId": 1, "phaseId": phase, "assigneeId": max.id()});
    max.creates_task(links).await;
    max.creates_tasks(["Compare the sums", "Tell the customers"])
        .await;
    for _ in 0..2 {
        max.records_activity(json!({"projectId": 1}))
            .await;
    }
    for name in ["urgent", "late", "odd"] {
        api.has_tag(api.home.id, name).await;
    }
    for tags in ["/api/activities/1/tags", "/api/tasks/1/tags"] {
        max.posts(tags, json!({"tagId": 1}))
            .await;
    }
}

/// A provider, and a sign-in that it is about to send back: the state's cookie and the callback's
/// path.
async fn has_sign_in(api: &Api, max: &Caller, provider: &OidcProvider) -> (Option<String>, String) {
    let put = provider.put(&json!({"defaultRole": "member"}));
    max.puts("/api/organizations/1/sign-in", put)
        .await;
    let begin = "/api/auth/oidc?organization=1";
    let grace = json!({"sub": "g", "email": "grace@example.com", "preferred_username": "grace"});
    let (browser, callback) = provider
        .begins(&api.anonymous(), begin, grace)
        .await;
    (browser.cookie, callback)
}

/// Webhooks 1 and 2. Returns a delivery of webhook 1.
async fn has_webhooks(concierge: &Concierge) -> String {
    let api = &concierge.api;
    let url = concierge.demo.url();
    for types in [["task.*"], ["tag.*"]] {
        api.has_webhook(&concierge.max, url, &types)
            .await;
    }
    api.has_delivery("task.created", 1)
        .await
}

/// Service request 1 and ticket 1, both resolved with tag 1, and service request 2. Tickets 2 and 3
/// have a message of max. Comments 1 and 4 on
/// service request 1, 2 and 5 on activity 1, and 3 and 6 on task 1.
async fn has_requests_and_tickets(api: &Api, max: &Caller) {
    let resolved = Past {
        status: ServiceStatus::Resolved,
        ..Past::default()
    };
    let requests = api.store.service_requests();
    for history in [resolved, Past::default()] {
        let new = records::service_request();
        let request = requests.create_with(api.home.id, max.user.unwrap(), new, history);
        request.await.unwrap();
    }
    // Not of the creator, whose comment would open the request again.
    let mia = api.sign_in("mia").await;
    for _ in 0..2 {
        for subject in ["service-requests", "activities", "tasks"] {
            let comments = format!("/api/{subject}/1/comments");
            mia.creates(&comments, json!({"content": "It works again."}))
                .await;
        }
    }
    api.has_ticket(NewTicket {
        status: ServiceStatus::Resolved,
        messages: vec![records::message(max.user.unwrap(), "Where are they?", None)],
        ..records::ticket()
    })
    .await;
    // Of each, an operation changes the last message.
    for _ in 0..2 {
        api.has_ticket(NewTicket {
            messages: vec![records::message(max.user.unwrap(), "Where?", None)],
            ..records::ticket()
        })
        .await;
    }
    for record in ["service-requests/1", "managed-services/tickets/1"] {
        let path = format!("/api/{record}/tags/1");
        max.send("PUT", &path, None)
            .await
            .expect(204);
    }
}
