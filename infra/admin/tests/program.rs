//! Tests of the program as an operator runs it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use aws_sdk_dynamodb::types::AttributeValue;
use local::engines::Engines;
use shared::{
    auth::password,
    clock::Clock,
    model::{self, Id, OrganizationId},
    store::{Account, Store},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_workdesk-admin");

/// A table, which the program finds by the SDK's variables.
struct World {
    engines: Engines,
}

impl World {
    async fn start() -> Self {
        let engines = Engines::in_memory().await.unwrap();
        Self { engines }
    }

    /// Runs a subcommand on the table, with `input` on standard input.
    async fn run(&self, subcommand: &str, rest: &[&str], input: &str) -> Output {
        let mut command = Command::new(PROGRAM);
        command
            .arg(subcommand)
            .arg(self.engines.table_name())
            .args(rest)
            .env("AWS_ENDPOINT_URL_DYNAMODB", self.engines.dynamodb_url())
            .env("AWS_ENDPOINT_URL_SQS", self.engines.sqs_url())
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let input = input.to_owned();
        let run = move || {
            let mut program = command.spawn().unwrap();
            // The program may have ended without reading its input.
            let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
            program.wait_with_output().unwrap()
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    }

    /// Runs a subcommand without input. Returns its output.
    async fn says(&self, subcommand: &str, rest: &[&str]) -> String {
        said(&self.run(subcommand, rest, "").await)
    }

    /// Creates an organization: its name, and its admin's username and full name.
    async fn creates(&self, organization: [&str; 3]) -> String {
        let created = self.run("create-organization", &organization, "twelve chars\n");
        said(&created.await)
    }

    fn store(&self) -> Store {
        let client = self.engines.dynamodb();
        Store::new(client, self.engines.table_name(), Clock::system())
    }

    async fn account(&self, username: &str) -> Option<Account> {
        self.store().sign_in().account(username).await.unwrap()
    }

    /// The number of entries in an organization's journal, which is verified.
    async fn entries(&self, organization: i64) -> i64 {
        let organization = OrganizationId::new(organization).unwrap();
        let store = self.store();
        let check = store.journals().check(organization, None).await.unwrap();
        assert!(check.verified);
        check.entries
    }

    /// True if an export has the hash of a password.
    async fn exports_hash_of(&self, username: &str, exported: &str) -> bool {
        let account = self.account(username).await.unwrap();
        exported.contains(account.password_hash.expose())
    }

    async fn signs_in(&self, username: &str, word: &str) -> bool {
        let account = self.account(username).await.unwrap();
        let hash = Some(account.password_hash);
        password::verify(word.into(), hash).await.unwrap()
    }
}

#[track_caller]
fn said(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(error, "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn an_operator_runs_the_service() {
    let world = World::start().await;
    assert_eq!(world.says("list-organizations", &[]).await, "");
    let ada = ["Halden Services", "ada", "Ada Lindqvist"];
    let created = "Organization 1, Halden Services; admin ada.\n";
    assert_eq!(world.creates(ada).await, created);
    assert!(world.signs_in("ada", "twelve chars").await);
    world.creates(["Outland", "bea", "Bea Outlander"]).await;
    let plan = |plan: &str| {
        format!(
            "Organization 1, Halden Services; plan {plan} units a second, 50 invitations a day.\n"
        )
    };
    assert_eq!(world.says("set-plan", &["1"]).await, plan("-, 4000"));
    let listed = world.says("list-organizations", &[]).await;
    let rows = listed.lines().map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        [columns[0], columns[2], columns[3], columns[4]]
    });
    let expected = [
        ["1", "-", "4000", "Halden Services"],
        ["2", "agentAI", "4000", "Outland"],
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let planned = world.says("set-plan", &["1", "9000", "agentAI"]).await;
    assert_eq!(planned, plan("agentAI, 9000"));
    let reset = world.run("reset-password", &["BEA"], "another long one\r\n");
    assert_eq!(said(&reset.await), "User 2, bea, of organization 2.\n");
    assert!(world.signs_in("bea", "another long one").await);
    assert!(!world.signs_in("bea", "twelve chars").await);
    // The organization, its admin, and two plans; or a password.
    assert_eq!([world.entries(1).await, world.entries(2).await], [4, 3]);
}

#[tokio::test]
async fn what_does_not_do_is_refused_and_leaves_nothing() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    let bea = ["Outland", "bea", "Bea"];
    let long = ["Outland", "bea.outlander", "Bea"];
    #[rustfmt::skip] // A line each.
    let cases = [
        ("create-organization", &bea[..], "eleven char", "12 to 128"),
        ("create-organization", &bea, "", "more than white space"),
        ("create-organization", &long, "BEA.Outlander", "the username"),
        ("create-organization", &["Outland", "be", "Bea"], "twelve chars", "USERNAME"),
        ("create-organization", &[" ", "bea", "Bea"], "twelve chars", "NAME"),
        ("create-organization", &["Outland", "Ada", "Bea"], "twelve chars", "username"),
        ("create-organization", &["Outland", "bea"], "twelve chars", "FULL_NAME"),
        ("set-plan", &["2"], "", "no such organization"),
        ("set-plan", &["one"], "", "not an organization's id"),
        ("set-plan", &["1", "agent"], "", "no plan feature agent"),
        ("set-plan", &["1", "0"], "", "0 is not a number from 1 to"),
        ("reset-password", &["bea"], "twelve chars", "there is no user bea"),
        ("reset-password", &["ada"], "short", "12 to 128"),
        ("list-organizations", &["x"], "", "Usage:"),
        ("index-records", &["x"], "", "x is not an organization"),
        ("restart-feed", &["x"], "", "x is not an organization"),
        ("after-restore", &[], "", "Usage:"),
        ("after-restore", &["--at", "noon"], "", "not an instant"),
        ("after-restore", &["--at", "2999-01-01T00:00:00Z"], "", "is not over"),
        ("migrate", &["--organization", "x"], "", "x is not an organ"),
        ("migrate", &["--rate", "0"], "", "0 is not a number of units"),
        ("verify", &["more"], "", "Usage:"),
        ("delete-everything", &[], "", "Subcommands:"),
    ];
    for (subcommand, rest, input, why) in cases {
        let answer = refused(&world.run(subcommand, rest, input).await);
        assert!(answer.contains(why), "{subcommand} {rest:?}: {answer}");
        assert!(!answer.contains("twelve chars"), "{answer}");
    }
    let listed = world.says("list-organizations", &[]).await;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(world.account("bea").await.is_none());
    assert!(world.signs_in("ada", "twelve chars").await);
}

#[tokio::test]
async fn an_organization_leaves_and_comes_back() {
    let world = World::start().await;
    for admin in [["Halden Services", "ada", "Ada"], ["Outland", "bea", "Bea"]] {
        world.creates(admin).await;
    }
    let early = world.run("delete-organization", &["1", "Halden Services"], "");
    assert!(refused(&early.await).contains("is not suspended"));
    let suspended = world.says("suspend-organization", &["1"]).await;
    assert!(suspended.starts_with("Organization 1, Halden Services; suspended since "));
    let exported = world.says("export-organization", &["1"]).await;
    assert!(!world.exports_hash_of("ada", &exported).await);
    let exported = world
        .says("export-organization", &["--accounts", "1"])
        .await;
    assert!(world.exports_hash_of("ada", &exported).await);
    let header = exported.lines().next().unwrap();
    assert!(header.contains(r#""format":"workdesk-organization","version":1,"organization":1"#));
    let as_new = ["--as-new", "Copy"];
    let taken = world.run("import-organization", &as_new, &exported).await;
    assert_eq!(taken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&taken.stderr).contains("taken usernames: ada"));
    for (rest, why) in [
        (&["1", "Halden Services"][..], "may be deleted from"),
        (&["1", "Halden", "--now"], "has another name"),
        (&["7", "Halden", "--now"], "no such organization"),
    ] {
        let answer = refused(&world.run("delete-organization", rest, "").await);
        assert!(answer.contains(why), "{answer}");
    }
    let now = ["1", "Halden Services", "--now"];
    let deleted = world.says("delete-organization", &now).await;
    assert!(
        deleted.starts_with("Organization 1 is deleted: "),
        "{deleted}"
    );
    assert!(world.account("ada").await.is_none());
    // Again, for what came late.
    world.says("delete-organization", &now).await;
    for (input, why) in [
        ("", "line 1"),
        ("{}", "line 1: it is not the header"),
        (&exported[..header.len()], "not those that line 1 counts"),
        (
            &exported.replace("ORG#1", "ORG#2"),
            "not an item of an export",
        ),
    ] {
        let answer = refused(&world.run("import-organization", &[], input).await);
        assert!(answer.contains(why), "{answer}");
    }
    let imported = said(&world.run("import-organization", &[], &exported).await);
    assert!(imported.starts_with("Organization 1: "), "{imported}");
    let lifted = world.says("suspend-organization", &["1", "--lift"]).await;
    assert_eq!(lifted, "Organization 1, Halden Services; not suspended.\n");
    assert!(world.signs_in("ada", "twelve chars").await);
    assert_eq!(world.entries(1).await, 4);
    let last = refused(&world.run("erase-user", &["1", "1"], "").await);
    assert!(last.contains("last admin"), "{last}");
}

#[tokio::test]
async fn older_records_are_indexed_however_often() {
    let world = World::start().await;
    for admin in [["Halden Services", "ada", "Ada"], ["Outland", "bea", "Bea"]] {
        world.creates(admin).await;
    }
    let tenant = OrganizationId::new(1).unwrap();
    let project = model::input::parse(br#"{"title": "Billing"}"#).unwrap();
    let store = world.store();
    let created = store.directory().create_project(tenant, project).await;
    created.unwrap();
    for _ in 0..2 {
        let indexed = world.says("index-records", &[]).await;
        assert!(indexed.contains("1\tproject\t1\n"), "{indexed}");
        assert!(indexed.contains("2\tproject\t0\n"), "{indexed}");
    }
    let one = world.says("index-records", &["2"]).await;
    assert!(!one.contains("1\tproject"), "{one}");
}

#[tokio::test]
async fn a_table_is_prepared_after_its_restore_once() {
    let world = World::start().await;
    world.creates(["Halden Services", "ada", "Ada"]).await;
    let at = world.store().now().to_string();
    let prepared = world.says("after-restore", &["--at", &at]).await;
    for line in [
        "Organization 1, Halden Services\n",
        "  user, enabled: 1, ada\n",
        " user_created user:1\n",
        "1\tproject\t0\n",
        "check calls and messages since",
    ] {
        assert!(prepared.contains(line), "{prepared}");
    }
    let rest = ["--end-tokens", "--at", &at];
    let again = world.says("after-restore", &rest).await;
    assert!(again.contains("was prepared for this instant"), "{again}");
    // The organization, its admin, the pause, and what came back.
    assert_eq!(world.entries(1).await, 4);
    let created = world.creates(["Outland", "bea", "Bea"]).await;
    assert!(created.starts_with("Organization 1002, "), "{created}");
    let restarted = world.says("restart-feed", &["1002"]).await;
    assert!(restarted.contains("1002\tproject\t0\n"), "{restarted}");
}

#[tokio::test]
async fn the_dead_letter_queue_of_changes_is_emptied() {
    let world = World::start().await;
    world.creates(["Halden Services", "ada", "Ada"]).await;
    let queue = world.engines.queues().dead_changes.clone();
    let user = r#"{"item": "ORG#1#USER 0000000000000001", "organizationId": 1}"#;
    for letter in [user, r#"{"DDBStreamBatchInfo": {}}"#] {
        let send = world.engines.sqs().send_message().queue_url(&queue);
        send.message_body(letter).send().await.unwrap();
    }
    let replayed = world.says("replay-changes", &[&queue]).await;
    for line in [
        "1\treplayed\tORG#1#USER",
        "1\tfeed restarted\n",
        "Replayed: 2.",
    ] {
        assert!(replayed.contains(line), "{replayed}");
    }
    let empty = world.says("replay-changes", &[&queue]).await;
    assert_eq!(empty, "Replayed: 0.\n");
}

#[tokio::test]
async fn an_item_of_an_older_form_is_named_and_rewritten() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    let all = "All items have the form of this version.\n";
    assert_eq!(world.says("verify", &[]).await, all);
    // A form without its words and its place among the projects.
    let project = model::input::parse(br#"{"title": "Billing"}"#).unwrap();
    let (tenant, store) = (OrganizationId::new(1).unwrap(), world.store());
    let created = store.directory().create_project(tenant, project).await;
    let sk = format!("{:016}", created.unwrap().id.get());
    let update = world.engines.dynamodb().update_item();
    let update = update
        .table_name(world.engines.table_name())
        .key("pk", AttributeValue::S("ORG#1#PROJECT".to_owned()))
        .key("sk", AttributeValue::S(sk))
        .update_expression("REMOVE words");
    update.send().await.unwrap();
    let older = world.run("verify", &["--organization", "1"], "").await;
    assert_eq!(older.status.code(), Some(1));
    assert_eq!(older.stdout, b"1\tproject\t1\n");
    let migrated = world.run("migrate", &["--rate", "5000"], "").await;
    assert_eq!(said(&migrated), "1\tproject\t1\n");
    assert_eq!(world.says("migrate", &[]).await, "");
    assert_eq!(world.says("verify", &[]).await, all);
}

#[tokio::test]
async fn every_subcommand_explains_itself() {
    let world = World::start().await;
    for subcommand in [
        "create-organization",
        "set-plan",
        "reset-password",
        "list-organizations",
        "index-records",
        "migrate",
        "verify",
        "suspend-organization",
        "export-organization",
        "import-organization",
        "delete-organization",
        "erase-user",
        "after-restore",
        "restart-feed",
        "replay-changes",
    ] {
        let help = said(&world.run(subcommand, &["--help"], "").await);
        let usage = format!("Usage: workdesk-admin {subcommand} TABLE");
        assert!(help.contains(&usage), "{help}");
    }
}
