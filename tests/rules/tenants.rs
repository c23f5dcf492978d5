//! An organization as a whole: the walk of its items finds all of them.

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    io::Cursor,
};

use aws_sdk_dynamodb::types::AttributeValue;
use local::mail_receiver::MailReceiver;
use serde_json::{Value, json};
use shared::{
    auth::password,
    model::{
        base::{Id, RecordType, UserId, span},
        people::{Role, digest, journal::canonical},
        updates::{AccountChange, Letter, MailedLink},
    },
    store::upkeep::Line,
};
use tests::{
    files, path,
    support::{
        Caller, Item, PASSWORD, Request, World, creates, key_of, number, refused, set, shows, text,
        text_of,
    },
};

/// Kinds of items of the service or of a network. No organization names them.
pub const OF_THE_SERVICE: &str =
    "stack used_state sign_in_failures sign_in_count mail_count tombstone";

fn is_of(item: &Item, organization: &str) -> bool {
    let pk = text_of(item, "pk");
    let owner = item.get("organizationId");
    pk == format!("ORG#{organization}")
        || pk.starts_with(&format!("ORG#{organization}#"))
        || owner == Some(&number(organization))
}

/// The kinds that `record!` declares, where they are texts.
pub fn declared() -> BTreeSet<String> {
    let of_type = |kind: &str| {
        let mut record_types = RecordType::ALL.iter();
        record_types
            .find(|record_type| format!("{record_type:?}") == kind)
            .unwrap()
            .name()
    };
    let mut kinds = BTreeSet::new();
    for file in files(&path("shared/store/src"), &[".rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        for record in text.split("\nrecord! {").skip(1) {
            let (declared, _) = record.split_once(',').unwrap();
            let kind = match declared.split_once(" = ") {
                Some((_, kind)) => match kind.strip_prefix("RecordType::") {
                    Some(kind) => of_type(kind.trim_end_matches(".name()")),
                    None => kind.trim_matches('"'),
                },
                // The id says the type.
                None => of_type(declared.split_once(": ").unwrap().1),
            };
            kinds.insert(kind.to_owned());
        }
    }
    kinds
}

/// A new kind of item: name its partition in `shared/store/src/key/tenant.rs`, and let an operation
/// of the world write one.
#[tokio::test]
async fn the_walk_of_an_organization_finds_each_of_its_items() {
    let world = World::filled().await;
    let home = world.api().home.id;
    let walked = world
        .api()
        .store
        .tenants()
        .keys(home)
        .await
        .unwrap();
    let walked: Vec<String> = walked
        .iter()
        .map(ToString::to_string)
        .collect();
    let distinct: HashSet<&String> = walked.iter().collect();
    assert_eq!(distinct.len(), walked.len(), "an item was found twice");
    let items = world.api().items().await.into_iter();
    let (own, others): (Vec<Item>, Vec<Item>) =
        items.partition(|item| is_of(item, &home.to_string()));
    let own_keys: HashSet<String> = own.iter().map(key_of).collect();
    let lost = own_keys
        .iter()
        .filter(|key| !distinct.contains(key));
    let lost: BTreeSet<&String> = lost.collect();
    assert!(lost.is_empty(), "no partition of key/tenant.rs: {lost:#?}");
    let strange = distinct
        .iter()
        .filter(|key| !own_keys.contains(**key));
    let strange: Vec<_> = strange.collect();
    assert!(strange.is_empty(), "of no organization: {strange:?}");
    assert!(!others.is_empty());
    let met: BTreeSet<&str> = own
        .iter()
        .map(|item| text_of(item, "kind"))
        .collect();
    let declared = declared();
    let unmet = declared.iter().map(String::as_str);
    let unmet = unmet.filter(|kind| {
        !met.contains(kind)
            && OF_THE_SERVICE
                .split(' ')
                .all(|listed| listed != *kind)
    });
    let unmet: Vec<_> = unmet.collect();
    assert!(unmet.is_empty(), "the filled world has no {unmet:?}");
}

/// An export of an organization: its lines, without the instant of the header.
pub async fn export(world: &World, accounts: bool) -> Vec<String> {
    let api = world.api();
    let store = &world.api().store;
    let tenants = store.tenants();
    let header = tenants
        .export_header(api.home.id, store.now())
        .await;
    let unusable = (!accounts).then(password::unusable);
    let mut lines = vec![json!(header.unwrap()).to_string()];
    let mut line = |line: Line| lines.push(json!(line).to_string());
    let done = tenants.export(api.home.id, store.now(), unusable.as_ref(), &mut line);
    done.await.unwrap();
    lines
}

fn without_instant(lines: &[String]) -> Vec<Value> {
    let lines = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap());
    let mut lines: Vec<Value> = lines.collect();
    lines[0]["at"] = Value::Null;
    lines
}

async fn of_home(world: &World) -> Vec<Item> {
    let mut items = world.api().items().await;
    items.retain(|item| is_of(item, &world.api().home.id.to_string()));
    items
}

#[tokio::test]
async fn an_export_comes_back_after_the_deletion() {
    let world = World::filled().await;
    let api = world.api();
    let store = &world.api().store;
    let home = api.home.id;
    let tenants = store.tenants();
    let suspended = store
        .directory()
        .suspend(home, true)
        .await
        .unwrap();
    // What happened before is published before.
    api.publishes().await;
    let before = export(&world, true).await;
    let text = before.join("\n");
    assert!(text.contains(r#""clientSecret":{"M":{"ciphertext":{"S":""}"#));
    for left_out in ["token_holder", "feed_batch", "indexed_word", "session"] {
        let kind = format!("\"kind\":\"{left_out}\"}}");
        let mut lines = before.iter();
        assert!(lines.all(|line| !line.ends_with(&kind)), "{left_out}");
    }
    let mut lines = before.iter();
    let organization = lines.find(|line| line.ends_with(r#""kind":"organization"}"#));
    assert!(
        !organization
            .unwrap()
            .contains("suspended")
    );
    for item in of_home(&world).await {
        if text_of(&item, "kind") == "connection" {
            assert!(
                !text.contains(
                    item["secret"].as_m().unwrap()["ciphertext"]
                        .as_s()
                        .unwrap()
                )
            );
        }
    }
    let account = store.sign_in().account("max").await;
    let hash = account.unwrap().unwrap().password_hash;
    assert!(text.contains(hash.expose()));
    assert!(
        !export(&world, false)
            .await
            .join("")
            .contains(hash.expose())
    );

    tenants
        .begin_deletion(&suspended)
        .await
        .unwrap();
    // An interrupted deletion goes on.
    while tenants
        .delete_items(home, &mut |_| {})
        .await
        .unwrap()
        > 0
    {}
    tenants.bury(home).await.unwrap();
    api.publishes().await;
    let left: Vec<String> = of_home(&world)
        .await
        .iter()
        .map(key_of)
        .collect();
    assert_eq!(left, [format!("ORG#{home} TOMBSTONE")]);
    assert!(tenants.is_deleted(home).await.unwrap());
    session_of(&world, "zoe")
        .await
        .reads("/api/tasks")
        .await;

    let imported = tenants
        .import(Cursor::new(&text), None)
        .await
        .unwrap();
    assert_eq!(imported.items, before.len() - 1);
    let billing = "connection billing".to_owned();
    assert!(
        imported
            .without_secret
            .contains(&billing)
    );
    api.publishes().await;
    let after = export(&world, true).await;
    assert_eq!(without_instant(&before), without_instant(&after));
    let items = of_home(&world).await;
    let mut kinds = items
        .iter()
        .map(|item| text_of(item, "kind"));
    let holds = kinds.all(|kind| kind != "feed_batch");
    assert!(holds, "an import is no change");
    let again = tenants
        .import(Cursor::new(&text), None)
        .await
        .unwrap_err();
    assert_eq!(again.to_string(), format!("organization {home} exists"));

    store
        .directory()
        .suspend(home, false)
        .await
        .unwrap();
    store
        .search()
        .index_all(home, |_, _| {})
        .await
        .unwrap();
    let max = session_of(&world, "max").await;
    max.reads("/api/tasks/1").await;
    let check = max.reads("/api/journal/check").await;
    assert_eq!(check["verified"], true, "{check}");
    // Ids go on.
    let task = max.creates_task(json!({})).await;
    let is_newest = |item: &Item| item["id"] == AttributeValue::N(task["id"].to_string());
    let tasks = api.items_of("task").await;
    assert_eq!(
        tasks
            .iter()
            .filter(|item| is_newest(item))
            .count(),
        1
    );
}

#[tokio::test]
async fn a_copy_under_a_new_id_needs_free_names_and_verifies() {
    let world = World::filled().await;
    let api = world.api();
    let store = &world.api().store;
    let home = api.home.id;
    let tenants = store.tenants();
    let suspended = store
        .directory()
        .suspend(home, true)
        .await
        .unwrap();
    let text = export(&world, true).await.join("\n");
    let name = "Halden again".try_into().unwrap();
    let taken = tenants
        .import(Cursor::new(&text), Some(&name))
        .await
        .unwrap_err();
    assert!(
        taken
            .to_string()
            .contains("taken usernames: "),
        "{taken}"
    );
    assert!(taken.to_string().contains("ada"), "{taken}");
    tenants
        .begin_deletion(&suspended)
        .await
        .unwrap();
    while tenants
        .delete_items(home, &mut |_| {})
        .await
        .unwrap()
        > 0
    {}
    tenants.bury(home).await.unwrap();
    let imported = tenants
        .import(Cursor::new(&text), Some(&name))
        .await
        .unwrap();
    assert_ne!(imported.organization, home);
    let directory = store.directory();
    let copy = imported.organization;
    directory
        .suspend(copy, false)
        .await
        .unwrap();
    let max = session_of(&world, "max").await;
    let organization = max
        .get(&format!("/api/organizations/{copy}"))
        .await;
    assert_eq!(organization.expect(200)["name"], "Halden again");
    max.reads("/api/tasks/1").await;
    let check = max.reads("/api/journal/check").await;
    assert_eq!(check["verified"], true, "{check}");
    for session in max
        .get("/api/concierge/agent-sessions")
        .await
        .ids()
    {
        let path = format!("/api/concierge/agent-sessions/{session}/journal/check");
        let check = max.reads(&path).await;
        assert_eq!(check["verified"], true, "{check}");
    }
}

#[tokio::test]
async fn an_erased_user_is_named_nowhere_and_the_journals_verify() {
    let world = World::filled().await;
    let api = world.api();
    let store = &world.api().store;
    let home = api.home.id;
    let ada = api.sign_in("ada").await;
    let names = ["zorro-the-erased", "Zorro Quixotic Erased"];
    let new = json!({
        "username": names[0], "fullName": names[1], "role": "member", "password": PASSWORD,
    });
    let id = ada
        .creates("/api/users", new.clone())
        .await;
    let old = as_earlier_releases_wrote(&world).await;
    let zorro = session_of(&world, names[0]).await;
    // Mails of links: of a confirmed address, of one that was not confirmed, of an invitation to
    // the first and by the user. Refused sign-ins under the first name.
    let addresses = ["zorro@first.example", "zorro@second.example"];
    let letter = |account: Option<&str>| {
        let link = MailedLink {
            seed: "seed".to_owned(),
            hash: digest(&format!("{account:?}")),
        };
        let expires_at = api.clock.now().plus(span::DAY);
        match account {
            Some(username) => Letter::EmailConfirmation {
                username: username.to_owned(),
                link,
                expires_at,
            },
            None => Letter::Invitation {
                invited_by: names[1].to_owned(),
                role: Role::Member.into(),
                link,
                expires_at,
            },
        }
    };
    api.has_mails([
        (None, addresses[0], letter(Some("somebody"))),
        (None, addresses[1], letter(Some(names[0]))),
        (None, addresses[0], letter(None)),
        (None, "guest@example.com", letter(None)),
    ])
    .await;
    let email = json!({"email": addresses[0]});
    ada.patch(&format!("/api/users/{id}"), email)
        .await
        .expect(200);
    let wrong = json!({"username": names[0], "password": "another password"});
    refused!(api.anonymous().post("/api/auth/login", wrong).await => 401, "invalid_credentials");
    assert!(counts_of(&world, id).await > 0);
    creates!(zorro, "/api/tokens", {"name": "script"});
    zorro
        .creates_task(json!({"title": "Left behind"}))
        .await;
    let later = json!({"fullName": "Zorro Quixotic Erased-Again"});
    let answer = ada
        .patch(&format!("/api/users/{id}"), later)
        .await;
    answer.expect(200);
    let entries = ada
        .get(&format!("/api/journal?subject=user:{id}"))
        .await;
    let entries = entries.expect(200);
    let newest = entries
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    shows!(newest, {"/before/fullName": names[1], "/digested/members": ["fullName"]});
    let verified = async || ada.reads("/api/journal/check").await;
    assert_eq!(verified().await["verified"], true);

    let tenants = store.tenants();
    let erased = tenants
        .erase_user(home, UserId::new(id).unwrap())
        .await;
    let erased = erased.unwrap();
    assert!(erased.items >= 3 && erased.entries >= 2, "{erased:?}");
    assert_eq!(erased.user.full_name, format!("Deleted user {id}"));
    for item in api.items().await {
        let text = format!("{item:?}");
        for name in names.into_iter().chain(addresses) {
            assert!(!text.contains(name), "{name}: {}", key_of(&item));
        }
    }
    assert_eq!(counts_of(&world, id).await, 0);
    // The guest of the user may still come.
    let guest = api.items_of("mail").await.into_iter();
    let guest: Vec<Item> = guest
        .filter(|mail| text_of(mail, "to") == "guest@example.com")
        .collect();
    assert_eq!(guest.len(), 1);
    refused!(zorro.get("/api/tasks").await => 401, "unauthenticated");
    let check = verified().await;
    assert_eq!(check["verified"], true, "{check}");
    assert_ne!(ada.creates("/api/users", new).await, id);
    // An entry that was changed under the name of an erasure is found.
    let entries = api.items_of("organization_entry").await;
    let mut entry = entries
        .into_iter()
        .find(|entry| key_of(entry) == old)
        .unwrap();
    set(&mut entry, [("after", text(r#"{"role":"admin"}"#))]);
    api.puts([entry]).await;
    assert_eq!(verified().await["breaks"][0]["why"], "changed");
}

/// The counts of refused sign-ins of a user.
async fn counts_of(world: &World, user: i64) -> usize {
    let counts = world
        .api()
        .items_of("sign_in_count")
        .await;
    let of_user = |count: &&Item| count.get("userId") == Some(&number(user.to_string()));
    counts.iter().filter(of_user).count()
}

async fn session_of(world: &World, username: &str) -> Caller {
    let sign_in = world.api().store.sign_in();
    let account = sign_in
        .account(username)
        .await
        .unwrap()
        .unwrap();
    let user = sign_in
        .user(&account)
        .await
        .unwrap()
        .unwrap();
    world.api().session_of(&user).await
}

/// Puts names into the chain of the newest entry. Returns its key.
async fn as_earlier_releases_wrote(world: &World) -> String {
    let api = world.api();
    let ada = api.sign_in("ada").await;
    let shown = ada
        .walk("/api/journal")
        .await
        .pop()
        .unwrap();
    let mut content = shown.clone();
    for beside in ["hash", "digested"] {
        content
            .as_object_mut()
            .unwrap()
            .remove(beside);
    }
    content["organization"] = json!(api.home.id);
    let hash = digest(&canonical(&content));
    let newest = |item: &Item| item.get("hash") == Some(&text(shown["hash"].as_str().unwrap()));
    let entries = api.items_of("organization_entry").await;
    let mut entry = entries
        .into_iter()
        .find(newest)
        .unwrap();
    entry.remove("personal");
    let after = text(&shown["after"].to_string());
    set(&mut entry, [("after", after), ("hash", text(&hash))]);
    let mut heads = api.items_of("organization_head").await;
    heads.retain(|head| is_of(head, &api.home.id.to_string()));
    for head in &mut heads {
        let AttributeValue::M(newest) = head.get_mut("newest").unwrap() else {
            panic!("{head:?}");
        };
        set(newest, [("hash", text(&hash))]);
    }
    let key = key_of(&entry);
    api.puts(heads.into_iter().chain([entry]))
        .await;
    key
}

/// Within five seconds, though instances read the organization a moment ago.
#[tokio::test]
async fn a_suspended_organization_is_refused_and_its_work_waits() {
    let world = World::start().await;
    let api = world.api();
    let max = world.caller().await;
    let (script, _) = api
        .token_and_id_of(&world.max, json!({}))
        .await;
    let due = api.clock.now().plus(span::HOUR);
    let task = json!({"assigneeId": world.max.id, "dueDate": due});
    max.creates_task(task).await;
    api.publishes().await;
    let elsewhere = max
        .clone()
        .before(api.other_instances().await);
    elsewhere.reads("/api/tasks").await;
    // As the operator's program does, beside the instances.
    let operator = api.store_beside().await;
    let directory = operator.directory();
    directory
        .suspend(api.home.id, true)
        .await
        .unwrap();
    api.clock.advance(5 * span::SECOND);
    for caller in [&elsewhere, &script] {
        refused!(caller.get("/api/tasks").await => 403, "organization_suspended");
    }
    let requests = world.requests();
    for request in requests
        .iter()
        .filter(|request| request.needs.is_some())
    {
        refused!(request.by(&max).await => 403, "organization_suspended");
    }
    let accepts = |request: &&Request| request.template == "/api/auth/accept";
    let accept = requests.iter().find(accepts).unwrap();
    refused!(accept.by(&api.anonymous()).await => 403, "organization_suspended");
    api.sign_in("zoe")
        .await
        .reads("/api/tasks")
        .await;
    let signs_in = async |password: &str| {
        let login = json!({"username": "max", "password": password});
        api.anonymous()
            .post("/api/auth/login", login)
            .await
    };
    refused!(signs_in("another password").await => 401, "invalid_credentials");
    refused!(signs_in(PASSWORD).await => 403, "organization_suspended");

    let receiver = MailReceiver::start().unwrap();
    let letter = Letter::EmailChanged(AccountChange {
        username: "mia".to_owned(),
        at: api.clock.now(),
        network: None,
    });
    api.has_mails([(None, "mia@example.com", letter)])
        .await;
    // A quarter of an hour of the service: its worker, its sweeper, its senders.
    let work = async || {
        world
            .concierge
            .delivers(&world.concierge.worker())
            .await;
        world.concierge.sweeper().sweep().await;
        api.sends_webhooks().await;
        api.sends_mails(&receiver).await;
    };
    // What has left the service so far, and what users were told.
    let done = async || {
        let attempts = api
            .items_of("webhook_delivery")
            .await
            .into_iter();
        let attempts = attempts.map(|item| item["attempts"].as_n().unwrap().clone());
        let attempts = attempts.map(|count| count.parse::<usize>().unwrap());
        let notices = api.items_of("notification").await.len();
        let mails = api.items_of("mail").await.into_iter();
        let is_own = |mail: &Item| is_of(mail, "1") && text_of(mail, "status") == "sent";
        [
            world.concierge.demo.effects().len(),
            attempts.sum(),
            notices,
            mails.filter(is_own).count(),
        ]
    };
    let before = done().await;
    // The approvals hold for an hour.
    for _ in 0..2 {
        work().await;
    }
    assert_eq!(done().await, before);
    directory
        .suspend(api.home.id, false)
        .await
        .unwrap();
    for _ in 0..2 {
        work().await;
        api.clock.advance(5 * span::MINUTE);
    }
    let after = done().await;
    let mut both = before.iter().zip(&after);
    let all_go_on = both.all(|(before, after)| after > before);
    assert!(all_go_on, "{before:?} {after:?}");
}
