use agent::{
    action::{Attempts, MoneyDirection, Reversibility},
    check::Expectation,
};
use model::people::digest;

use crate::{playbook::RenderContext, tests::connections};

use super::*;

/// An automated action that no connection allows would always be manual.
#[test]
fn every_call_is_allowed_by_the_systems_that_it_is_for() {
    let connections = connections();
    let playbooks = Playbooks::shipped().unwrap();
    for playbook in &playbooks.playbooks {
        let name = &playbook.name;
        assert_eq!(playbook.kept_from(&connections), [""; 0], "{name}");
        let runs_alone = playbook.kept_from(&[]).is_empty();
        assert_eq!(runs_alone, playbook.is_fallback(), "{name}");
    }
}

/// Every automated action has preconditions and a verification.
#[test]
fn every_playbook_looks_before_and_after() {
    let playbooks = Playbooks::shipped().unwrap();
    assert!(playbooks.playbooks.len() >= 14);
    for playbook in &playbooks.playbooks {
        let connections = connections();
        let reads = playbook.sample_reads();
        let context = RenderContext {
            connections: &connections,
            reads: &reads,
            obstacle: None,
        };
        let name = &playbook.name;
        for action in playbook
            .actions
            .iter()
            .filter(|action| action.automated)
        {
            let proposed = action.render(&playbook.sample_values(), context);
            assert!(!proposed.content.require.is_empty(), "{name}");
            assert!(proposed.content.verify.is_some(), "{name}");
            // Money is moved only so often, in each direction, and so is what cannot be undone.
            let money = proposed.content.money.as_ref();
            let takes = money.is_some_and(|money| money.direction == MoneyDirection::CustomerPays);
            let attempts = proposed.content.attempts;
            let undo = proposed
                .content
                .reversible
                .as_ref()
                .map(|undo| undo.is);
            let is_limited = money.is_some() || undo == Some(Reversibility::No);
            assert_eq!(attempts.is_some(), is_limited, "{name}");
            let is_stated = attempts.is_some_and(|attempts| attempts != Attempts::OF_MONEY);
            assert_eq!(is_stated, takes, "{name}");
            // The values shown and sent are pinned to the values read.
            for fact in action.relies_on() {
                let pinned = proposed
                    .content
                    .require
                    .iter()
                    .any(|pin| {
                        pin.fact == fact
                            && matches!(&pin.expected, Expectation::Is(values) if values.len() == 1)
                    });
                assert!(pinned, "{name}: {fact}");
            }
            let changes = proposed
                .content
                .steps
                .iter()
                .filter(|step| step.changes());
            let calls: Vec<_> = changes
                .filter_map(|step| step.call.as_ref())
                .collect();
            assert!(
                calls
                    .iter()
                    .all(|call| !call.success.is_empty()),
                "{name}"
            );
        }
        assert!(
            playbook
                .resolved_when(context)
                .is_some(),
            "{name}"
        );
    }
}

const ENDS_NOT: &str = "resolved_when = { fact = \"batch.state\", is_not";

fn file(name: &str, text: &str) -> File {
    File {
        name: name.to_owned(),
        hash: digest(text),
        content: toml::from_str(text).unwrap(),
    }
}

fn problem(text: &str) -> String {
    let fallback = file("fallback", include_str!("../../files/fallback.toml"));
    match Playbooks::read([fallback, file("broken", text)]) {
        Ok(_) => "none".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Replaces a text of a sound file in each case, and expects the fault in the error.
fn each_is_named(sound: &str, cases: &[(&str, &str, &str)]) {
    for (from, to, fault) in cases {
        assert!(sound.contains(from), "{from}");
        let problem = problem(&sound.replacen(from, to, 1));
        let is_named = problem.contains("playbook broken") && problem.contains(fault);
        assert!(is_named, "{from} -> {to}: {problem}");
    }
}

/// Changes of a sound playbook that break it: the text, its replacement, and the named fault.
const BROKEN: &[(&str, &str, &str)] = &[
    ("version = 8", "version = 0", "count from 1"),
    ("name = \"broken\"", "name = \"other\"", "calls itself"),
    (
        "state {batch.state}\"\n",
        "state {stat}\"\n",
        "{stat} is unknown",
    ),
    ("/{batch.id}/", "/{bach.id}/", "\"bach.id\" is no fact"),
    ("/{batch.id}/", "/{title}/", "\"title\" is no fact"),
    ("/{batch.id}/", "/b-{batch.id}/", "whole segment"),
    // An alert's spelling is only read by.
    ("/{batch.id}/", "/{batch}/", "\"batch\" is no fact"),
    (
        "[\"usage_batch/{batch.id}\"]",
        "[\"usage_batch/{batch}\"]",
        "\"batch\" is no fact",
    ),
    (
        "[\"usage_batch/{batch.id}\"]",
        "[\"{batch.id}\"]",
        "a record is `kind/{id}`",
    ),
    (
        "\"reprocess_usage_batch\"",
        "\"void_invoice\"",
        "names no invoice/{id}",
    ),
    (
        "minutes = 25",
        "minutes = 25\ncustomer = \"{batch.id}\"",
        "names a customer exactly",
    ),
    (
        "says = \"No invoice has its usage.\", ",
        "",
        "says so in a sentence",
    ),
    (
        "within = \"1h\"",
        "amount = \"batch.events\", within = \"1h\"",
        "asks for the amount in verify",
    ),
    (
        "resolved_when = { fact = \"batch.state\", is",
        ENDS_NOT,
        "what is, not what is no more",
    ),
    ("reprocess_usage_batch", "format_disk", "unknown variant"),
    ("\"POST\"", "\"SEND\"", "no method"),
    ("method = \"POST\"", "", "a method and a path"),
    (
        "expect =",
        "body = {b = \"{batch\"}\nexpect =",
        "stays open",
    ),
    ("expect =", "body = {b = [\"{bach}\"]}\nexpect =", "no fact"),
    ("expect = [200, 202]", "expect = []", "at least one status"),
    ("expect = [200, 202]", "expect = [404]", "2xx"),
    (
        "automated = true",
        "automated = false",
        "against its nature",
    ),
    ("minutes = 25", "minutes = 0", "saves no minutes"),
    (
        "risk = \"critical\"",
        "risk = \"high\"",
        "its risk is critical",
    ),
    ("{ no = ", "{ never = ", "unknown variant"),
    ("risk = \"low\"", "risk = \"none\"", "unknown variant"),
    ("risk = \"low\"", "rissk = \"low\"", "unknown field"),
    (
        "records = [\"usage_batch/{batch.id}\"]",
        "",
        "names no record",
    ),
    (
        "key = \"review\"",
        "key = \"reprocess\"",
        "two actions are called",
    ),
    (
        "key = \"review\"",
        "key = \"review\"\nafter = [\"nobody\"]",
        "no other action",
    ),
    (
        "key = \"review\"",
        "key = \"review\"\nafter = [\"review\"]",
        "no other action",
    ),
    (
        "signal_type = \"usage_batch_stuck\"",
        "",
        "not the fallback",
    ),
    // Reads.
    (
        "path = \"/usage-batches/{batch}\"",
        "path = \"/{title}\"",
        "{title} is no parameter",
    ),
    (
        "path = \"/usage-batches/{batch}\"",
        "path = \"/b-{batch}\"",
        "whole segment",
    ),
    (
        "path = \"/usage-batches/{batch}\"",
        "path = \"/{batch.state}\"",
        "no parameter",
    ),
    (
        "connection = \"billing\"",
        "connection = \"{batch.state}\"",
        "{batch.state} is unknown",
    ),
    (
        "connection = \"billing\"",
        "connection = \"biling\"",
        "one of the kinds of systems",
    ),
    (
        "target_system = \"billing\"",
        "target_system = \"biling\"",
        "one of the kinds of systems",
    ),
    (
        "connection = \"billing\"",
        "conection = \"billing\"",
        "unknown field",
    ),
    ("name = \"batch\"", "name = \"Batch\"", "lower-case"),
    ("state = \"/state\"", "State = \"/state\"", "lower-case"),
    (
        "state = \"/state\"",
        "http = \"/state\"",
        "neither http nor at",
    ),
    ("state = \"/state\"", "state = \"state\"", "JSON pointer"),
    ("state = \"/state\"", "state = \"/~2\"", "JSON pointer"),
    (
        "state = \"/state\"",
        "stat = \"/state\"",
        "\"batch.state\" is no fact",
    ),
    // Findings.
    (
        "fact = \"batch.state\"",
        "fact = \"bach.state\"",
        "\"bach.state\" is no fact",
    ),
    (
        "fact = \"batch.state\"",
        "fact = \"batch\"",
        "\"batch\" is no fact",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "are = []",
        "unknown field",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "is = []",
        "at least one text",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "is = [[1]]",
        "at least one text",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "is = [1], is_not = [2]",
        "exactly one of",
    ),
    (
        ", is = [\"processing\", \"failed\"] }",
        " }",
        "exactly one of",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "same_as = \"batch.size\"",
        "\"batch.size\" is no fact",
    ),
    (
        "says = \"Usage batch {batch} is not",
        "weight = 3\nsays = \"Usage batch {batch} is not",
        "unknown field",
    ),
    (
        "id = \"restarted\"",
        "id = \"not_processed\"",
        "id of its own",
    ),
    (
        "stuck in state {batch.state} since",
        "stuck in state {batch.stat} since",
        "{batch.stat} is unknown",
    ),
    // Actions.
    (
        "minutes = 25",
        "minutes = 25\nattempts = { most = 1, within = \"soon\", apart = \"0m\" }",
        "no period",
    ),
    (
        "\"reprocess_usage_batch\"",
        "\"sync_customer\"",
        "exactly if it moves",
    ),
    (
        "money = { direction = \"customer_is_billed_later\" }\n",
        "",
        "exactly if it moves",
    ),
    (
        "customer_is_billed_later",
        "customer_pays",
        "has amount and currency",
    ),
    (
        "_billed_later\"",
        "_billed_later\", amount = \"batch.events\"",
        "has amount and currency",
    ),
    (
        "at_least = 120,",
        "at_least = 120, is = [1],",
        "exactly one of",
    ),
    (", unit = \"minutes\"", "", "have a unit"),
    (
        "is = [\"processing\", \"failed\"]",
        "is = [1], unit = \"cents\"",
        "have a unit",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "is_due = true",
        "not among the times",
    ),
    (
        "is = [\"processing\", \"failed\"]",
        "since_at_least = \"soon\"",
        "no period",
    ),
    (
        "processed.\", fact = \"batch.state\"",
        "processed.\", fact = \"batch.x\"",
        "\"batch.x\" is no fact",
    ),
    (
        "verify = { is = { fact = \"batch.state\"",
        "verify = { is = { fact = \"bach.state\"",
        "\"bach.state\" is no fact",
    ),
    (
        "size = \"batch.events\"",
        "size = \"batch.x\"",
        "\"batch.x\" is no fact",
    ),
    ("within = \"1h\"", "within = \"soon\"", "no period"),
    ("within = \"1h\"", "within = \"367d\"", "no period"),
    (
        "within = \"1h\"",
        "within = \"1h\", until = 1",
        "unknown field",
    ),
    (
        "success = { at = \"/state\"",
        "success = { at = \"state\"",
        "JSON pointer",
    ),
    (
        "success = { at = \"/state\"",
        "success = { on = 1, at = \"/state\"",
        "unknown field",
    ),
    ("reconcile = { read", "reconcile = { reed", "unknown field"),
    (
        "not_done = { fact = \"state\"",
        "not_done = { fact = \"stat\"",
        "\"batch.stat\" is no fact",
    ),
    (
        "= false",
        "= false\nverify = { is = { fact = \"batch.state\", is = [1] }, within = \"1h\" }",
        "verifies nothing",
    ),
    ("reversible = {", "# {", "how it is taken back"),
    ("success = {", "# {", "202 is no success by itself"),
    (
        "invoiced\" }",
        "invoiced\" }\nabsent = { error = \"none\" }",
        "absent or null is one of its facts",
    ),
    (
        "invoiced\" }",
        "invoiced\" }\nabsent = { last_error = [] }",
        "absent or null is one of its facts",
    ),
    (
        "\"usage_batch\" }",
        "\"usage_batch\" }\nmoney = { entity = \"key\" }",
        "cannot be a parameter",
    ),
];

#[test]
fn a_broken_playbook_is_named_with_its_fault() {
    let sound = include_str!("../../files/usage-batch-stuck.toml")
        .replace("name = \"usage-batch-stuck\"", "name = \"broken\"");
    each_is_named(&sound, BROKEN);
}

#[test]
fn a_broken_read_is_named_with_its_fault() {
    let sound = include_str!("../../files/usage-batch-stuck.toml")
        .replace("name = \"usage-batch-stuck\"", "name = \"broken\"");
    let cases = [
        (
            "invoiced\" }",
            "invoiced\" }\nsums = { all = \"events - x\" }",
            "a sum is of its facts",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\nsums = { all = \"events\" }",
            "is no sum",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\nsums = { idle = \"events - idle\" }",
            "a name is that of one fact",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\ntimes = [\"x\"]",
            "are facts of it",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\namounts = { events = \"net\" }",
            "amounts have a currency",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\nlists = { rows = { at = \"data\" } }",
            "JSON pointer",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\nwhole = { at = \"more\", is = [false] }",
            "JSON pointer",
        ),
        (
            "invoiced\" }",
            "invoiced\" }\nquery = { of = \"{batch.state}\" }",
            "no parameter",
        ),
    ];
    each_is_named(&sound, &cases);
}

/// An action with money rests on the debt: no file can leave it out.
#[test]
fn money_without_a_debt_is_refused() {
    let sound = include_str!("../../files/payment-failed.toml")
        .replace("name = \"payment-failed\"", "name = \"broken\"");
    let debt = "debt = { of = \"invoice\", amount = \"open\", currency = \"currency\", customer = \"customer\" }\n";
    let of_payment = "amounts = { amount = \"gross\", captured = \"gross\" }";
    let cases = [
        (debt, "", "does not say in debt which record owes it"),
        (
            "amount = \"open\", currency",
            "amount = \"opened\", currency",
            "\"invoice.opened\" is no fact",
        ),
        (
            ", customer = \"payment.customer\" }",
            " }",
            "names its customer exactly",
        ),
        (
            of_payment,
            "amounts = { captured = \"gross\" }",
            "not among the amounts",
        ),
        (
            of_payment,
            "amounts = { amount = \"net\", captured = \"gross\" }",
            "all net, or all gross",
        ),
        (
            ", { fact = \"invoice.open\", is = [0] }]",
            "]",
            "does not read the record that owes",
        ),
        (
            of_payment,
            "absent = { state = \"failed\" }\namounts = { amount = \"gross\", captured = \"gross\" }",
            "would hold for an answer without it",
        ),
    ];
    each_is_named(&sound, &cases);
}

/// A payment that no check finds may still arrive.
#[test]
fn no_look_proves_that_money_did_not_move() {
    for (name, done) in [
        ("payment-failed", "fact = \"state\", is = [\"succeeded\"]"),
        (
            "invoice-duplicated",
            "fact = \"credited\", same_as = \"paid\"",
        ),
        ("stripe-invoice-unpaid", "fact = \"state\", is = [\"paid\"]"),
    ] {
        let done = &format!("done = {{ {done} }}");
        let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/files/{}.toml"), name);
        let sound = std::fs::read_to_string(path).unwrap();
        let sound = sound.replace(&format!("name = \"{name}\""), "name = \"broken\"");
        let File { content, hash, .. } = file("broken", &sound);
        assert!(Playbook::read("broken", hash, content).is_ok());
        let not_done = format!("{done}, not_done = {{ fact = \"state\", is = [\"failed\"] }}");
        assert!(sound.contains(done), "{name}");
        let problem = problem(&sound.replacen(done, &not_done, 1));
        assert!(problem.contains("does not prove"), "{problem}");
    }
}

#[test]
fn actions_do_not_wait_for_each_other_nor_do_the_same_twice() {
    let sound = include_str!("../../files/payment-failed.toml")
        .replace("name = \"payment-failed\"", "name = \"broken\"");
    let circle = sound
        .replace("key = \"retry\"", "key = \"retry\"\nafter = [\"notify\"]")
        .replace("key = \"notify\"", "key = \"notify\"\nafter = [\"retry\"]");
    let (head, notify) = sound.split_at(sound.rfind("[[actions]]").unwrap());
    let tell = notify.replace("\"notify\"", "\"tell\"");
    let twice = format!("{head}{notify}\n{tell}");
    for (text, fault) in [(circle, "comes after itself"), (twice, "does the same")] {
        let problem = problem(&text);
        assert!(problem.contains(fault), "{problem}");
    }
}
