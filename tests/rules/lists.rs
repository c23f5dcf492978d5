//! Every list of the API is walked page by page, in each of its orders, while rows come and go.

use std::{cell::Cell, collections::BTreeSet};

use futures::{StreamExt, stream};
use serde_json::{Value, json};
use shared::store::metered;
use tests::support::{
    Answer, Api, Caller, DAMAGES, Item, MOST_PAGES, Operation, World, creates, example, key_of,
    operations, text_of,
};

/// Rows that a list begins with, beside those of the world.
const ROWS: usize = 9;

/// Pages of a walk after which a row comes and another goes.
const CHANGES: usize = 10;

/// Lists that share a world. Each has few rows of the others.
const BESIDE: usize = 6;

#[tokio::test]
async fn every_list_is_walked_while_rows_come_and_go() {
    let mut walked = 0;
    for lists in lists().chunks(BESIDE) {
        let world = Box::pin(World::start()).await;
        for list in lists {
            let sorts = list.sorts();
            let mut walk = Walk::start(&world, list, sorts[0]).await;
            for sort in sorts {
                walk.go(sort);
                walk.check().await;
                walked += 1;
            }
        }
    }
    assert!(walked >= 50, "{walked}");
}

/// A list that goes both ways has the same rows either way.
#[tokio::test]
async fn an_order_and_its_opposite_are_mirror_images() {
    let world = Box::pin(World::start()).await;
    for list in lists() {
        let sorts = list.sorts();
        let opposites = sorts
            .iter()
            .filter_map(|sort| sort.strip_prefix('-'));
        let opposites: Vec<_> = opposites
            .filter(|sort| sorts.contains(sort))
            .collect();
        let Some(first) = opposites.first() else {
            continue;
        };
        let mut walk = Walk::start(&world, list, first).await;
        for sort in opposites {
            walk.go(sort);
            let path = &walk.path;
            let forward = walk
                .ids(&format!("{path}&sort={sort}&limit=2"))
                .await;
            let mut back = walk
                .ids(&format!("{path}&sort=-{sort}&limit=3"))
                .await;
            back.reverse();
            assert_eq!(forward, back, "{path} by {sort}");
        }
    }
}

/// Whatever members write: a list of the longest texts ends before Lambda's 6 MB, which each answer
/// of the tests is held against, and goes on.
#[tokio::test]
async fn no_list_is_larger_than_an_answer_may_be() {
    let mut long = 0;
    let with_texts = |list: &&&Operation| list.method == "GET" && has_texts(&list.path);
    for list in lists().iter().filter(with_texts) {
        let world = Box::pin(World::start()).await;
        let mut walk = Walk::start(&world, list, list.sorts()[0]).await;
        // Each takes four bytes within the answer.
        walk.text = "\"".repeat(50_000);
        walk.grow_by(24).await;
        let page = walk.ada.get(&walk.path).await;
        let bytes = page.text.len();
        let rows = rows(&page).len();
        let path = &walk.path;
        let is_cut = page.next().is_some() && bytes > 1_000_000;
        assert!(is_cut, "{path}: {bytes}");
        assert!(walk.ids(path).await.len() > rows, "{path}");
        long += 1;
    }
    assert!(long >= 12, "{long}");
}

/// Whatever is wrong with a row, and in whatever order: the list goes on without it, and it is
/// noted by its key.
#[tokio::test]
async fn rows_that_do_not_read_are_left_out_of_every_list() {
    let mut damaged = 0;
    for lists in lists().chunks(BESIDE) {
        let world = Box::pin(World::start()).await;
        for list in lists {
            leaves_damaged_rows_out(&world, list).await;
            damaged += 1;
        }
    }
    assert!(damaged >= 18, "{damaged}");
}

/// Damages some rows of a list, walks it in each of its orders, and mends the rows.
async fn leaves_damaged_rows_out(world: &World, list: &'static Operation) {
    let sorts = list.sorts();
    let mut walk = Walk::start(world, list, sorts[0]).await;
    let mut before = Vec::new();
    for sort in &sorts {
        walk.go(sort);
        before.push(walk.ids(&walk.in_pages_of(200)).await);
    }
    let whole = walk.newest().await;
    let keys = walk.damage(whole.clone()).await;
    for (sort, before) in sorts.iter().zip(before) {
        walk.go(sort);
        for limit in [2, 200] {
            let path = walk.in_pages_of(limit);
            let (after, used) = metered(walk.ids(&path)).await;
            assert_eq!(used.unreadable, keys, "{path}");
            let left: Vec<_> = before
                .iter()
                .filter(|id| after.contains(id))
                .collect();
            assert_eq!(left, after.iter().collect::<Vec<_>>(), "{path}");
            assert_eq!(after.len(), before.len() - keys.len(), "{path}");
        }
    }
    world.api().puts(whole).await;
}

#[tokio::test]
async fn long_lists_and_long_names_are_read_whole() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let tags = (1..=1_001).map(|number| json!({"name": format!("tag {number}")}));
    let tags = tags.map(|tag| ada.creates("/api/tags", tag));
    let created: Vec<i64> = stream::iter(tags)
        .buffer_unordered(16)
        .collect()
        .await;
    assert_eq!(created.len(), 1_001);
    let first = ada.get("/api/tags").await;
    assert_eq!((first.ids().len(), first.next().is_some()), (1_000, true));
    assert_eq!(ada.walk("/api/tags").await.len(), 1_001);

    let request = ada.raises_request().await;
    ada.comments_on_request(request, "First")
        .await;
    api.copy_comments(1..=9_999).await;
    let comments = format!("/api/service-requests/{request}/comments");
    let rows = ada.walk(&comments).await;
    let row_ids: Vec<_> = rows
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect();
    assert_eq!(row_ids, (1..=10_000).collect::<Vec<_>>());
    let newest = format!("{comments}?sort=-createdAt&limit=3");
    assert_eq!(ada.get(&newest).await.ids(), [10_000, 9_999, 9_998]);

    // Four bytes a character: more than a key holds.
    let longest = "𝄞".repeat(255);
    let body = json!({"title": longest});
    let project = ada.creates("/api/projects", body).await;
    let titled = json!({"title": longest, "projectId": project});
    assert_eq!(ada.creates_task(titled.clone()).await["title"], longest);
    ada.creates_milestone(titled).await;
    let milestones = format!("/api/projects/{project}/milestones");
    assert_eq!(ada.reads(&milestones).await[0]["title"], longest);
    let projects = ada.walk("/api/projects?limit=1").await;
    assert!(
        projects
            .iter()
            .any(|row| row["title"] == longest)
    );
}

/// The lists that have orders. The change feed and search have tests of their own.
fn lists() -> Vec<&'static Operation> {
    let operations = operations().iter();
    let lists = operations.filter(|operation| operation.parameter("sort").is_some());
    lists.collect()
}

/// A list in one order, with rows.
struct Walk<'a> {
    world: &'a World,
    ada: Caller,
    template: &'static str,
    sort: String,
    /// Path and filters.
    path: String,
    /// The text of new rows.
    text: String,
    /// Rows that were added.
    grown: Cell<usize>,
}

impl<'a> Walk<'a> {
    async fn start(world: &'a World, list: &'static Operation, sort: &str) -> Self {
        let ada = world.api().sign_in("ada").await;
        let mut walk = Self {
            path: String::new(),
            template: &list.path,
            sort: String::new(),
            text: "Some words".to_owned(),
            grown: Cell::new(0),
            world,
            ada,
        };
        walk.go(sort);
        walk.grow_by(ROWS).await;
        walk.index().await;
        walk
    }

    /// Brings the index of the last changes up to date, which follows the tasks.
    async fn index(&self) {
        if self.template == "/api/tasks" {
            let api = self.world.api();
            api.indexes(api.home.id).await;
        }
    }

    /// From now on in this order.
    fn go(&mut self, sort: &str) {
        let filter = match sort {
            "order" if self.template == "/api/tasks" => "projectId=1",
            "dueDate" if self.template == "/api/tasks" => "assigneeId=me",
            _ => "",
        };
        let own = self.ada.id().to_string();
        let id = match self.template {
            "/api/concierge/agent-sessions/{id}/journal" => self.world.session_to_analyse(),
            "/api/users/{id}/sessions" | "/api/users/{id}/tokens" => &own,
            _ => "1",
        };
        let path = example(self.template, id);
        self.path = format!("{path}?{filter}");
        sort.clone_into(&mut self.sort);
    }

    fn in_pages_of(&self, limit: usize) -> String {
        format!("{}&sort={}&limit={limit}", self.path, self.sort)
    }

    /// The items of some of the rows that were added last.
    async fn newest(&self) -> Vec<Item> {
        let (kind, partition) = self.items();
        let mut items = self.world.api().items_of(kind).await;
        items.retain(|item| text_of(item, "pk").starts_with(&partition));
        items.sort_by_key(|item| text_of(item, "gsi1sk").to_owned() + &key_of(item));
        items.reverse();
        items.truncate(DAMAGES.len());
        items
    }

    /// Damages items, each in another way. Returns their keys.
    async fn damage(&self, mut items: Vec<Item>) -> BTreeSet<String> {
        for (item, damage) in items.iter_mut().zip(DAMAGES) {
            damage(item);
        }
        let keys = items.iter().map(key_of).collect();
        self.world.api().puts(items).await;
        keys
    }

    /// Its rows in the table: their kind, and the beginning of their partition key.
    fn items(&self) -> (&'static str, String) {
        let mut segments = self.template.rsplit('/');
        let last = segments.next();
        let _ = segments.next();
        let of = segments.next();
        let record = match of.unwrap_or_default() {
            "tasks" => "TASK#1#",
            "milestones" => "MILESTONE#1#",
            "service-requests" => "REQUEST#1#",
            "projects" => "PROJECT#1#",
            "customers" => "CUSTOMER#1#",
            "activities" => "ACTIVITY#1#",
            "webhooks" => "WEBHOOK#1#",
            _ => "TICKET#1#",
        };
        let session = format!("AGENT_SESSION#{}#", self.world.session_to_analyse());
        let [sessions, notifications, tokens] = ["SESSION", "NOTIFICATION", "TOKEN"]
            .map(|kind| format!("USER#{}#{kind}", self.ada.id()));
        let (kind, partition) = match last.unwrap() {
            "sessions" => ("session", &*sessions),
            "notifications" => ("notification", &*notifications),
            "tokens" => ("token", &*tokens),
            "comments" => ("comment", record),
            "history" => ("history_entry", record),
            "deliveries" => ("webhook_delivery", record),
            "{ticketId}" => ("ticket_message", record),
            "members" => ("project_member", record),
            "journal" if self.template.contains("{id}") => ("journal_entry", &*session),
            "journal" if self.template.contains("concierge") => ("journal_entry", ""),
            "journal" => ("organization_entry", ""),
            "hours-saved" => ("saving", ""),
            "service-requests" => ("service_request", ""),
            "search-references" => ("reference", ""),
            "alerts" => ("alert", ""),
            "agent-sessions" => ("agent_session", ""),
            "connections" => ("connection", ""),
            "webhooks" => ("webhook", ""),
            "invitations" => ("invitation", ""),
            "projects" => ("project", ""),
            "tags" => ("tag", ""),
            "customers" => ("customer", ""),
            "users" => ("user", ""),
            "tasks" => ("task", ""),
            "milestones" => ("milestone", ""),
            "activities" => ("activity", ""),
            "phases" => ("phase", ""),
            "tickets" => ("ticket", ""),
            other => panic!("what are the rows of {other}?"),
        };
        (kind, format!("ORG#1#{partition}"))
    }

    /// Rows that are there all the time are found once, in their order.
    async fn check(&self) {
        let Self { path, sort, .. } = self;
        self.index().await;
        let all_ids = self
            .ids(&format!("{path}&sort={sort}&limit=200"))
            .await;
        assert!(all_ids.len() >= ROWS, "{path} by {sort}: {all_ids:?}");
        // Record 1 has lists of its own.
        let may_leave = all_ids.iter().filter(|id| id[0] != 1);
        let mut leavers = may_leave
            .skip(2)
            .step_by(3)
            .cloned()
            .collect::<Vec<_>>();
        let mut gone = Vec::new();
        let mut walked = Vec::new();
        let mut page = self
            .ada
            .get(&format!("{path}&sort={sort}&limit=2"))
            .await;
        for pages in 1.. {
            let rows = rows(&page);
            assert!(rows.len() <= 2, "{path} by {sort}: {}", rows.len());
            walked.extend(rows.iter().map(id));
            let Some(next) = page.next().map(str::to_owned) else {
                break;
            };
            if pages <= CHANGES {
                self.grow_by(1).await;
                if let Some(leaver) = leavers.pop()
                    && self.shrink(&leaver).await
                {
                    gone.push(leaver);
                }
            }
            page = self.ada.get(&next).await;
            assert!(pages < MOST_PAGES, "{path} by {sort} does not end");
        }
        let steady: Vec<_> = all_ids
            .into_iter()
            .filter(|id| !gone.contains(id))
            .collect();
        walked.retain(|id| steady.contains(id));
        assert_eq!(walked, steady, "{path} by {sort}");
    }

    async fn ids(&self, path: &str) -> Vec<Value> {
        let mut ids = Vec::new();
        let mut page = self.ada.get(path).await;
        for _ in 0..MOST_PAGES {
            ids.extend(rows(&page).iter().map(id));
            match page.next() {
                Some(next) => page = self.ada.get(next).await,
                None => return ids,
            }
        }
        panic!("{path} does not end");
    }

    async fn grow_by(&self, rows: usize) {
        for number in self.grown.get()..self.grown.get() + rows {
            self.grow(number).await;
        }
        self.grown.set(self.grown.get() + rows);
    }

    /// One more row; of two, one is as old as the other.
    async fn grow(&self, number: usize) {
        let Self { world, ada, .. } = self;
        let api = world.api();
        api.clock
            .advance(i64::try_from(number % 2).unwrap());
        // Neither in the order of creation nor in the opposite one.
        let name = format!("{:02} of them, number {number}", number * 7 % 11);
        let due = format!("2026-02-{:02}T00:00:00Z", 1 + number * 7 % 5);
        let description = &self.text;
        let text = json!({"content": self.text});
        match self.template {
            "/api/tasks" | "/api/projects/{projectId}/tasks" => {
                let task =
                    json!({"assigneeId": ada.id(), "dueDate": due, "description": description});
                ada.creates_task(task).await;
            }
            "/api/projects/{projectId}/milestones" => {
                let milestone = json!({"dueDate": due, "description": description});
                ada.creates_milestone(milestone).await;
            }
            template if template.ends_with("/activities") => {
                let activity = json!({"projectId": 1, "description": description});
                ada.records_activity(activity).await;
            }
            "/api/service-requests" => {
                let request = json!({"title": name, "description": description});
                ada.creates("/api/managed-services/request", request)
                    .await;
            }
            template if template.ends_with("/comments") => {
                ada.creates(&example(template, "1"), text)
                    .await;
            }
            "/api/managed-services/ticket/{ticketId}" => {
                let reply = ada
                    .post("/api/managed-services/ticket/1/reply", text)
                    .await;
                reply.expect(200);
            }
            "/api/managed-services/tickets" => {
                ada.creates(self.template, json!({"title": name}))
                    .await;
            }
            "/api/managed-services/search-references" | "/api/projects" => {
                creates!(ada, "/api/projects", {"title": name, "description": description});
            }
            "/api/projects/{projectId}/phases" => {
                creates!(ada, "/api/projects/1/phases", {"title": name});
            }
            "/api/tags" | "/api/customers" => {
                ada.creates(self.template, json!({"name": name}))
                    .await;
            }
            // There are ten at most.
            "/api/webhooks" => {
                let webhook = json!({"url": "https://hooks.example.com", "types": ["tag.*"]});
                ada.post("/api/webhooks", webhook).await;
            }
            "/api/webhooks/{id}/deliveries" => {
                let record = i64::try_from(number).unwrap() + 100;
                api.has_delivery("task.updated", record)
                    .await;
            }
            "/api/notifications" => {
                let id = format!("{}-comment-{number}-1", api.clock.now().millis());
                api.has_notification(ada, &id).await;
            }
            template if template.starts_with("/api/concierge/") => self.grows_agents(number).await,
            "/api/managed-services/hours-saved" => {
                api.has_saving(number).await;
            }
            template if template.ends_with("/history") => {
                let path = example(template, "1");
                let record = path.strip_suffix("/history").unwrap();
                let is_put = record.contains("milestones");
                let method = if is_put { "PUT" } else { "PATCH" };
                // A name is of one customer only.
                let body = if record.contains("customers") {
                    json!({"name": format!("{name}, renamed")})
                } else {
                    json!({"title": name})
                };
                let body = body.to_string();
                ada.send(method, record, Some(body))
                    .await
                    .expect(200);
            }
            _ => self.grows_accounts(number, &name).await,
        }
    }

    /// Lists of accounts and of what belongs to them.
    async fn grows_accounts(&self, number: usize, name: &str) {
        let Self { world, ada, .. } = self;
        match self.template {
            "/api/users" => {
                let user = json!({
                    "username": format!("user{number:02}"), "fullName": name, "role": "member",
                    "password": "a password of theirs",
                });
                ada.creates("/api/users", user).await;
            }
            "/api/projects/{projectId}/members" => {
                let user = json!({
                    "username": format!("member{number:02}"), "fullName": name, "role": "member",
                    "password": "a password of theirs",
                });
                let user = ada.creates("/api/users", user).await;
                let path = format!("/api/projects/1/members/{user}");
                ada.send("PUT", &path, None)
                    .await
                    .expect(204);
            }
            "/api/journal" => {
                let path = format!("/api/users/{}", ada.id());
                ada.patches(&path, json!({"fullName": name}))
                    .await;
            }
            "/api/tokens" | "/api/users/{id}/tokens" => {
                ada.posts("/api/tokens", json!({"name": name}))
                    .await;
            }
            // A plan has fifty a day.
            "/api/invitations" => {
                let email = format!("user{number:02}@example.com");
                let invitation = json!({"email": email, "fullName": name, "role": "member"});
                ada.creates("/api/invitations", invitation)
                    .await;
            }
            "/api/auth/sessions" | "/api/users/{id}/sessions" => {
                world.api().sign_in("ada").await;
            }
            other => panic!("how does a row of {other} come to be?"),
        }
    }

    /// Lists of the agent.
    async fn grows_agents(&self, number: usize) {
        let Self { world, ada, .. } = self;
        match self.template {
            "/api/concierge/alerts" => {
                world
                    .concierge
                    .alert("payment_failed", &[])
                    .await;
            }
            // It makes two rows, and comes with every page of two: the walk is to end.
            "/api/concierge/agent-sessions/{id}/journal" if number % 4 == 1 => {}
            "/api/concierge/agent-sessions/{id}/journal" => {
                let session = world.session_to_analyse();
                let path = format!("/api/concierge/agent-sessions/{session}/propose");
                ada.triggers(&path).await;
            }
            "/api/concierge/agent-sessions" | "/api/concierge/journal" => {
                let alert = world
                    .concierge
                    .alert("payment_failed", &[])
                    .await;
                world.concierge.opened(&alert).await;
            }
            "/api/concierge/alerts/{id}/agent-sessions" => {
                // An alert has one at a time.
                let open = ada
                    .trigger("/api/concierge/alerts/1/agent-session")
                    .await;
                let session = &open.expect(200)["session"]["id"];
                let cancel = format!("/api/concierge/agent-sessions/{session}/cancel");
                ada.triggers(&cancel).await;
            }
            "/api/concierge/connections" => {
                let slug = format!("row_{:02}_{number}", number * 7 % 11);
                world.concierge.connects_as(&slug).await;
            }
            other => panic!("how does a row of {other} come to be?"),
        }
    }

    /// Takes a row away, if that can be.
    async fn shrink(&self, id: &Value) -> bool {
        let folder = match self.template {
            "/api/tasks" | "/api/projects/{projectId}/tasks" => "/api/tasks",
            "/api/projects/{projectId}/milestones" => "/api/milestones",
            template if template.ends_with("/activities") => "/api/activities",
            "/api/service-requests" => "/api/service-requests",
            "/api/projects/{projectId}/phases" => "/api/phases",
            "/api/tags" => "/api/tags",
            "/api/webhooks" => "/api/webhooks",
            "/api/projects/{projectId}/members" => "/api/projects/1/members",
            "/api/invitations" => "/api/invitations",
            "/api/tokens" | "/api/users/{id}/tokens" => "/api/tokens",
            "/api/concierge/connections" => "/api/concierge/connections",
            _ => return false,
        };
        let id = &id[0];
        let id = id
            .as_str()
            .map_or_else(|| id.to_string(), str::to_owned);
        self.ada
            .deletes(&format!("{folder}/{id}"))
            .await;
        true
    }
}

/// The rows of a list have a text that may be long.
fn has_texts(template: &str) -> bool {
    const SHORT: &str = "invitations history notifications users tags customers phases members tokens sessions alerts \
                         agent-sessions hours-saved journal connections tickets webhooks deliveries";
    let last = template.rsplit('/').next();
    !SHORT
        .split(' ')
        .any(|short| Some(short) == last)
}

/// The rows of a page; a ticket's are its messages.
fn rows(page: &Answer) -> Vec<Value> {
    match page.expect(200) {
        Value::Array(rows) => rows,
        mut ticket => ticket["messages"]
            .take()
            .as_array()
            .unwrap()
            .clone(),
    }
}

/// The name of a row within its list. References are of two types, entries of journals have hashes,
/// connections have names alone, and members are users.
fn id(row: &Value) -> Value {
    if row["user"].is_object() && row["addedAt"].is_string() {
        return json!([row["user"]["id"]]);
    }
    let id = if row["id"].is_null() { "name" } else { "id" };
    json!([row[id], row["type"], row["hash"]])
}
