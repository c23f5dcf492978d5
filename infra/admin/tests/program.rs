//! Tests of the program as an operator runs it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, HashMap},
    io::Write,
    process::{Command, Output, Stdio},
};

use aws_sdk_dynamodb::types::AttributeValue;
use local::engines::Engines;
use shared::{
    auth::password,
    clock::Clock,
    model::{
        self,
        base::{Id, OrganizationId},
    },
    store::base::{Account, Store, WriteContext},
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
        let command = self.command(subcommand, self.engines.table_name(), rest);
        fed(command, input).await
    }

    fn command(&self, subcommand: &str, table: &str, rest: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg(subcommand)
            .arg(table)
            .args(rest)
            .env("AWS_ENDPOINT_URL_DYNAMODB", self.engines.dynamodb_url())
            .env("AWS_ENDPOINT_URL_SQS", self.engines.sqs_url())
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
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

    /// All items of the table by key.
    async fn items(&self) -> BTreeMap<[String; 2], HashMap<String, AttributeValue>> {
        let scan = self.engines.dynamodb().scan();
        let scan = scan
            .table_name(self.engines.table_name())
            .send()
            .await
            .unwrap();
        assert!(scan.last_evaluated_key().is_none());
        let text =
            |item: &HashMap<String, AttributeValue>, name: &str| item[name].as_s().unwrap().clone();
        let items = scan.items.unwrap().into_iter();
        items
            .map(|item| (["pk", "sk"].map(|name| text(&item, name)), item))
            .collect()
    }

    /// True if the table has an item of an organization.
    async fn has_items_of(&self, organization: &str) -> bool {
        let key = format!("ORG#{organization}");
        let below = format!("{key}#");
        let items = self.items().await;
        items
            .keys()
            .any(|[pk, _]| *pk == key || pk.starts_with(&below))
    }

    async fn account(&self, username: &str) -> Option<Account> {
        self.store()
            .sign_in()
            .account(username)
            .await
            .unwrap()
    }

    /// The number of entries in an organization's journal, which is verified.
    async fn entries(&self, organization: i64) -> i64 {
        let organization = OrganizationId::new(organization).unwrap();
        let store = self.store();
        let check = store
            .journals()
            .check(organization, None)
            .await
            .unwrap();
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
        password::verify(word.into(), hash)
            .await
            .unwrap()
    }
}

/// Runs a program with `input` on standard input.
async fn fed(mut command: Command, input: &str) -> Output {
    let input = input.to_owned();
    let run = move || {
        let mut program = command.spawn().unwrap();
        // The program may have ended without reading its input.
        let _ = program
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes());
        program.wait_with_output().unwrap()
    };
    tokio::task::spawn_blocking(run)
        .await
        .unwrap()
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
    assert_eq!(
        world
            .says("list-organizations", &[])
            .await,
        ""
    );
    let ada = ["Halden Services", "ada", "Ada Lindqvist"];
    let created = "Organization 1, Halden Services; admin ada.\n";
    assert_eq!(world.creates(ada).await, created);
    assert!(
        world
            .signs_in("ada", "twelve chars")
            .await
    );
    world
        .creates(["Outland", "bea", "Bea Outlander"])
        .await;
    let plan = |plan: &str| {
        format!(
            "Organization 1, Halden Services; plan {plan} units a second, 50 invitations a day.\n"
        )
    };
    let planned = world
        .says("set-plan", &["1", "--features", "-"])
        .await;
    assert_eq!(planned, plan("-, 4000"));
    let listed = world
        .says("list-organizations", &[])
        .await;
    let rows = listed.lines().map(|row| {
        let columns: Vec<&str> = row.split('\t').collect();
        [
            columns[0], columns[2], columns[3], columns[4], columns[5], columns[6],
        ]
    });
    let expected = [
        ["1", "-", "4000", "50", "-", "Halden Services"],
        ["2", "agentAI", "4000", "50", "-", "Outland"],
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let both = ["1", "--units", "9000", "--features", "agentAI"];
    assert_eq!(world.says("set-plan", &both).await, plan("agentAI, 9000"));
    let reset = world.run("reset-password", &["BEA"], "another long one\r\n");
    assert_eq!(said(&reset.await), "User 2, bea, of organization 2.\n");
    assert!(
        world
            .signs_in("bea", "another long one")
            .await
    );
    assert!(
        !world
            .signs_in("bea", "twelve chars")
            .await
    );
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
    let cases = [
        ("create-organization", &bea[..], "eleven char", "12 to 128"),
        ("create-organization", &bea, "", "more than white space"),
        (
            "create-organization",
            &long,
            "BEA.Outlander",
            "the username",
        ),
        (
            "create-organization",
            &["Outland", "be", "Bea"],
            "twelve chars",
            "USERNAME",
        ),
        (
            "create-organization",
            &[" ", "bea", "Bea"],
            "twelve chars",
            "NAME",
        ),
        (
            "create-organization",
            &["Outland", "Ada", "Bea"],
            "twelve chars",
            "username",
        ),
        (
            "create-organization",
            &["Outland", "bea"],
            "twelve chars",
            "FULL_NAME",
        ),
        (
            "set-plan",
            &["2", "--units", "1"],
            "",
            "no such organization",
        ),
        (
            "set-plan",
            &["one", "--units", "1"],
            "",
            "not an organization's id",
        ),
        (
            "set-plan",
            &["1", "--features", "agent"],
            "",
            "no plan feature agent",
        ),
        (
            "set-plan",
            &["1", "--units", "0"],
            "",
            "--units: 0 is not a number from 1 to",
        ),
        (
            "set-plan",
            &["1", "--invitations", "-1"],
            "",
            "--invitations: -1 is not",
        ),
        ("set-plan", &["1"], "", "Usage:"),
        ("set-plan", &["1", "8000"], "", "Usage:"),
        (
            "reset-password",
            &["bea"],
            "twelve chars",
            "there is no user bea",
        ),
        ("reset-password", &["ada"], "short", "12 to 128"),
        ("list-organizations", &["x"], "", "Usage:"),
        ("index-records", &["x"], "", "x is not an organization"),
        ("restart-feed", &["x"], "", "x is not an organization"),
        ("after-restore", &[], "", "Usage:"),
        ("after-restore", &["--at", "noon"], "", "not an instant"),
        (
            "after-restore",
            &["--at", "2999-01-01T00:00:00Z"],
            "",
            "is not over",
        ),
        ("migrate", &["--organization", "x"], "", "x is not an organ"),
        (
            "migrate",
            &["--rate", "0"],
            "",
            "0 is not a number of units",
        ),
        ("verify", &["more"], "", "Usage:"),
        ("resume-agents", &["1"], "", "Usage:"),
        (
            "replay-changes",
            &["http://127.0.0.1:1/x", "--wait", "21"],
            "",
            "--wait: 21 is not",
        ),
        ("delete-everything", &[], "", "Subcommands:"),
    ];
    for (subcommand, rest, input, why) in cases {
        let answer = refused(&world.run(subcommand, rest, input).await);
        assert!(answer.contains(why), "{subcommand} {rest:?}: {answer}");
        assert!(!answer.contains("twelve chars"), "{answer}");
    }
    let listed = world
        .says("list-organizations", &[])
        .await;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(world.account("bea").await.is_none());
    assert!(
        world
            .signs_in("ada", "twelve chars")
            .await
    );
}

#[tokio::test]
async fn an_organization_leaves_and_comes_back() {
    let world = World::start().await;
    for admin in [["Halden Services", "ada", "Ada"], ["Outland", "bea", "Bea"]] {
        world.creates(admin).await;
    }
    let early = world.run("delete-organization", &["1", "Halden Services"], "");
    assert!(refused(&early.await).contains("is not suspended"));
    let suspended = world
        .says("suspend-organization", &["1"])
        .await;
    assert!(suspended.starts_with("Organization 1, Halden Services; suspended since "));
    let exported = world
        .says("export-organization", &["1"])
        .await;
    assert!(
        !world
            .exports_hash_of("ada", &exported)
            .await
    );
    let exported = world
        .says("export-organization", &["--accounts", "1"])
        .await;
    assert!(
        world
            .exports_hash_of("ada", &exported)
            .await
    );
    let header = exported.lines().next().unwrap();
    assert!(header.contains(r#""format":"workdesk-organization","version":1,"organization":1"#));
    let as_new = ["--as-new", "Copy"];
    let taken = world
        .run("import-organization", &as_new, &exported)
        .await;
    assert_eq!(taken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&taken.stderr).contains("taken usernames: ada"));
    for (rest, why) in [
        (&["1", "Halden Services"][..], "may be deleted from"),
        (&["1", "Halden", "--now"], "has another name"),
        (&["7", "Halden", "--now"], "no such organization"),
    ] {
        let answer = refused(
            &world
                .run("delete-organization", rest, "")
                .await,
        );
        assert!(answer.contains(why), "{answer}");
    }
    let now = ["1", "Halden Services", "--now"];
    let deleted = world
        .says("delete-organization", &now)
        .await;
    assert!(
        deleted.starts_with("Organization 1 is deleted: "),
        "{deleted}"
    );
    assert!(world.account("ada").await.is_none());
    // Again, for what came late.
    world
        .says("delete-organization", &now)
        .await;
    for (input, why) in [
        ("", "line 1"),
        ("{}", "line 1: it is not the header"),
        (&exported[..header.len()], "not those that line 1 counts"),
        (
            &exported.replace("ORG#1", "ORG#2"),
            "is not what its record gives",
        ),
    ] {
        let answer = refused(
            &world
                .run("import-organization", &[], input)
                .await,
        );
        assert!(answer.contains(why), "{answer}");
    }
    let imported = said(
        &world
            .run("import-organization", &[], &exported)
            .await,
    );
    assert!(imported.starts_with("Organization 1: "), "{imported}");
    let lifted = world
        .says("suspend-organization", &["1", "--lift"])
        .await;
    assert_eq!(lifted, "Organization 1, Halden Services; not suspended.\n");
    assert!(
        world
            .signs_in("ada", "twelve chars")
            .await
    );
    assert_eq!(world.entries(1).await, 4);
    let last = refused(
        &world
            .run("erase-user", &["1", "1"], "")
            .await,
    );
    assert!(last.contains("last admin"), "{last}");
}

#[tokio::test]
async fn older_records_are_indexed_however_often() {
    let world = World::start().await;
    for admin in [["Halden Services", "ada", "Ada"], ["Outland", "bea", "Bea"]] {
        world.creates(admin).await;
    }
    let tenant = OrganizationId::new(1).unwrap();
    let project = model::base::input::parse(br#"{"title": "Billing"}"#).unwrap();
    let store = world.store();
    let created = store
        .directory()
        .create_project(tenant, project)
        .await;
    created.unwrap();
    for _ in 0..2 {
        let indexed = world.says("index-records", &[]).await;
        assert!(indexed.contains("1\tproject\t1\n"), "{indexed}");
        assert!(indexed.contains("2\tproject\t0\n"), "{indexed}");
    }
    let indexed = world
        .says("index-records", &["2"])
        .await;
    assert!(!indexed.contains("1\tproject"), "{indexed}");
}

#[tokio::test]
async fn a_table_is_prepared_after_its_restore_once() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada"])
        .await;
    let at = world.store().now().to_string();
    let prepared = world
        .says("after-restore", &["--at", &at])
        .await;
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
    let created = world
        .creates(["Outland", "bea", "Bea"])
        .await;
    assert!(created.starts_with("Organization 1002, "), "{created}");
    let restarted = world
        .says("restart-feed", &["1002"])
        .await;
    assert!(restarted.contains("1002\tproject\t0\n"), "{restarted}");
}

#[tokio::test]
async fn the_dead_letter_queue_of_changes_is_emptied() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada"])
        .await;
    let queue = world
        .engines
        .queues()
        .dead_changes
        .clone();
    let user = r#"{"item": "ORG#1#USER 0000000000000001", "organizationId": 1}"#;
    for letter in [user, r#"{"DDBStreamBatchInfo": {}}"#] {
        let send = world
            .engines
            .sqs()
            .send_message()
            .queue_url(&queue);
        send.message_body(letter)
            .send()
            .await
            .unwrap();
    }
    let replay = [queue.as_str(), "--wait", "0"];
    let replayed = world
        .says("replay-changes", &replay)
        .await;
    for line in [
        "1\treplayed\tORG#1#USER",
        "1\tfeed restarted\n",
        "Replayed: 2.",
    ] {
        assert!(replayed.contains(line), "{replayed}");
    }
    let empty = world
        .says("replay-changes", &replay)
        .await;
    assert_eq!(empty, "Replayed: 0.\n");
}

/// As a stream leaves them that gave up many batches: none is handled again while the first ones
/// are.
#[tokio::test]
async fn many_letters_restart_each_feed_once() {
    let world = World::start().await;
    for admin in [["Halden Services", "ada", "Ada"], ["Outland", "bea", "Bea"]] {
        world.creates(admin).await;
    }
    let queue = world
        .engines
        .queues()
        .dead_changes
        .clone();
    let gone = r#"{"item": "ORG#1#TASK 0000000000000077", "organizationId": 1}"#;
    let of_nobody = r#"{"item": "ORG#77#TASK 0000000000000077", "organizationId": 77}"#;
    let batch = r#"{"DDBStreamBatchInfo": {}}"#;
    for letter in [batch; 12]
        .into_iter()
        .chain([gone; 3])
        .chain([of_nobody])
    {
        let send = world
            .engines
            .sqs()
            .send_message()
            .queue_url(&queue);
        send.message_body(letter)
            .send()
            .await
            .unwrap();
    }
    let replayed = world
        .says("replay-changes", &[&queue, "--wait", "0"])
        .await;
    for (line, times) in [
        ("1\tfeed restarted\n", 1),
        ("2\tfeed restarted\n", 1),
        ("77\tis gone\n", 1),
        ("Replayed: 16.\n", 1),
    ] {
        assert_eq!(replayed.matches(line).count(), times, "{line}: {replayed}");
    }
    assert!(!world.has_items_of("77").await);
}

#[tokio::test]
async fn a_plan_changes_as_it_is_told() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    let plan =
        |plan: &str| format!("Organization 1, Halden Services; plan {plan} invitations a day.\n");
    for (change, after) in [
        (
            ["1", "--invitations", "70"],
            "agentAI, 4000 units a second, 70",
        ),
        (["1", "--units", "8000"], "agentAI, 8000 units a second, 70"),
        (["1", "--features", "-"], "-, 8000 units a second, 70"),
        (["1", "--units", "9000"], "-, 9000 units a second, 70"),
        (
            ["1", "--features", "agentAI"],
            "agentAI, 9000 units a second, 70",
        ),
    ] {
        assert_eq!(
            world.says("set-plan", &change).await,
            plan(after),
            "{change:?}"
        );
    }
}

#[tokio::test]
async fn an_id_that_no_organization_has_is_an_error_and_nothing_is_written() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    let before = world.items().await;
    for (subcommand, rest) in [
        ("restart-feed", &["1", "77"][..]),
        ("index-records", &["77", "1"]),
        ("migrate", &["--organization", "77"]),
        ("verify", &["--organization", "1", "--organization", "77"]),
        ("resume-agents", &["--organization", "77"]),
        ("suspend-organization", &["77"]),
        ("suspend-organization", &["77", "--lift"]),
        ("export-organization", &["77"]),
        ("delete-organization", &["77", "Halden", "--now"]),
        ("erase-user", &["77", "1"]),
        ("erase-user", &["1", "77"]),
        ("set-plan", &["77", "--units", "8000"]),
        ("sign-in", &["77", "passwords=allowed"]),
        ("record-alert", &["77"]),
    ] {
        let alert = r#"{"source": "m", "externalId": "1", "signalType": "payment_failed",
            "severity": "error", "title": "It failed", "targetSystem": "payments"}"#;
        let answer = refused(&world.run(subcommand, rest, alert).await);
        assert!(
            answer.starts_with("error: no such "),
            "{subcommand} {rest:?}: {answer}"
        );
    }
    assert_eq!(world.items().await, before);
}

/// Files that this repository's exporter did not write, as a customer may bring them.
#[tokio::test]
async fn no_line_of_a_foreign_file_acts_on_another_organization() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    let before = world.items().await;
    for (case, why) in [
        (
            "account",
            "line 11: organizationId is 1; line 1 has organization 4000",
        ),
        (
            "stranger",
            "line 11: userId names the user 1, which no line of the file has",
        ),
        ("task", "line 11: gsi1pk of ORG#4000#TASK"),
        (
            "milestone",
            "line 11: milestone 9007199254740991 is beyond 10000000",
        ),
        (
            "cleanup",
            "line 11: organizationId is 1; line 1 has organization 4000",
        ),
        ("mail", "line 11: no export has items of the kind mail"),
        ("unknown", "line 11: an item of the kind later"),
        (
            "long",
            "line 11: it is longer than 4194304 bytes. An item has at most 409600 bytes",
        ),
        ("twice", "line 11: an earlier line has the same key"),
    ] {
        let file = foreign_export(case).await;
        let answer = refused(
            &world
                .run("import-organization", &[], &file)
                .await,
        );
        assert!(answer.contains(why), "{case}: {answer}");
        let as_new = ["--as-new", "Copy"];
        let answer = refused(
            &world
                .run("import-organization", &as_new, &file)
                .await,
        );
        assert!(answer.contains(why), "{case}: {answer}");
    }
    assert_eq!(world.items().await, before);
    let honest = foreign_export("honest").await;
    let imported = said(
        &world
            .run("import-organization", &[], &honest)
            .await,
    );
    assert!(
        imported.starts_with("Organization 4000: 9 items."),
        "{imported}"
    );
    let owner = world
        .account("zoe-elsewhere")
        .await
        .unwrap();
    assert_eq!(
        (owner.organization_id.get(), owner.user_id.get()),
        (4000, 900)
    );
    // The next organization, and the next milestone of all, have the next ids.
    let created = world
        .creates(["Outland", "bea", "Bea"])
        .await;
    assert!(created.starts_with("Organization 4001, "), "{created}");
}

/// Has a script of another hand write an export of organization 4000, with a line that acts on
/// organization 1.
async fn foreign_export(case: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign_export.py");
    let mut python = Command::new("python3");
    python.args([script, case, "1", "1"]);
    python
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    said(&fed(python, "").await)
}

#[tokio::test]
async fn a_list_names_suspensions_and_passwords_are_reset_all_the_same() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    world
        .says("suspend-organization", &["1"])
        .await;
    let listed = world
        .says("list-organizations", &[])
        .await;
    let columns: Vec<&str> = listed.trim_end().split('\t').collect();
    assert!(columns[5].ends_with("Z operator"), "{listed}");
    let reset = world
        .run("reset-password", &["ada"], "another long one\n")
        .await;
    let expected =
        "User 1, ada, of organization 1, which is suspended: sign-in waits for the lift.\n";
    assert_eq!(said(&reset), expected);
    assert!(
        world
            .signs_in("ada", "another long one")
            .await
    );
}

#[tokio::test]
async fn the_agents_go_on_after_a_restore_by_one_command() {
    let world = World::start().await;
    for admin in [["Halden Services", "ada", "Ada"], ["Outland", "bea", "Bea"]] {
        world.creates(admin).await;
    }
    assert_eq!(world.says("resume-agents", &[]).await, "");
    let at = world.store().now().to_string();
    let prepared = world
        .says("after-restore", &["--at", &at])
        .await;
    assert!(
        prepared.contains("which of the listed tokens were revoked"),
        "{prepared}"
    );
    let entries = world.entries(1).await;
    let resumed = world
        .says("resume-agents", &["--organization", "2"])
        .await;
    assert_eq!(resumed, "2\tagent resumed\n");
    assert_eq!(world.says("resume-agents", &[]).await, "1\tagent resumed\n");
    assert_eq!(world.says("resume-agents", &[]).await, "");
    // In the journal, as the operator's.
    assert_eq!(world.entries(1).await, entries + 1);
    // A user's pause stays, unless its organization is named.
    let tenant = OrganizationId::new(1).unwrap();
    let store = world.store();
    let user = Some(model::base::UserId::new(1).unwrap());
    let context = WriteContext::of_operator(tenant);
    store
        .connections()
        .pause_agent(context, user, true)
        .await
        .unwrap();
    assert_eq!(world.says("resume-agents", &[]).await, "");
    let named = world
        .says("resume-agents", &["--organization", "1"])
        .await;
    assert_eq!(named, "1\tagent resumed\n");
}

#[tokio::test]
async fn a_failure_is_said_in_the_operators_words() {
    let world = World::start().await;
    let elsewhere = world.command("list-organizations", "another-table", &[]);
    let mut unreachable = world.command("list-organizations", world.engines.table_name(), &[]);
    unreachable.env("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1");
    let mut nobody = world.command("list-organizations", world.engines.table_name(), &[]);
    nobody
        .env_remove("AWS_ACCESS_KEY_ID")
        .env_remove("AWS_SECRET_ACCESS_KEY");
    nobody
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("HOME", "/nonexistent");
    for (command, why) in [
        (
            elsewhere,
            "error: there is no such table in this account and region",
        ),
        (unreachable, "error: the database cannot be reached"),
        (nobody, "error: there are no credentials: set AWS_PROFILE"),
    ] {
        let answer = refused(&fed(command, "").await);
        assert!(answer.starts_with(why), "{answer}");
    }
}

#[tokio::test]
async fn an_item_of_an_older_form_is_named_and_rewritten() {
    let world = World::start().await;
    world
        .creates(["Halden Services", "ada", "Ada Lindqvist"])
        .await;
    let all_current = "All items have the form of this version.\n";
    assert_eq!(world.says("verify", &[]).await, all_current);
    // A form without its words and its place among the projects.
    let project = model::base::input::parse(br#"{"title": "Billing"}"#).unwrap();
    let tenant = OrganizationId::new(1).unwrap();
    let store = world.store();
    let created = store
        .directory()
        .create_project(tenant, project)
        .await;
    let sk = format!("{:016}", created.unwrap().id.get());
    let update = world.engines.dynamodb().update_item();
    let update = update
        .table_name(world.engines.table_name())
        .key("pk", AttributeValue::S("ORG#1#PROJECT".to_owned()))
        .key("sk", AttributeValue::S(sk))
        .update_expression("REMOVE words");
    update.send().await.unwrap();
    let older = world
        .run("verify", &["--organization", "1"], "")
        .await;
    assert_eq!(older.status.code(), Some(1));
    assert_eq!(older.stdout, b"1\tproject\t1\n");
    let migrated = world
        .run("migrate", &["--rate", "5000"], "")
        .await;
    assert_eq!(said(&migrated), "1\tproject\t1\n");
    assert_eq!(world.says("migrate", &[]).await, "");
    assert_eq!(world.says("verify", &[]).await, all_current);
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
        "resume-agents",
        "restart-feed",
        "replay-changes",
    ] {
        let help = said(
            &world
                .run(subcommand, &["--help"], "")
                .await,
        );
        let usage = format!("Usage: workdesk-admin {subcommand} TABLE");
        assert!(help.contains(&usage), "{help}");
    }
}
