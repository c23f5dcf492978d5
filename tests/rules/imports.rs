//! An import: no line of a file acts on another organization, whoever wrote it.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufRead, Cursor, Read, Seek, SeekFrom},
};

use serde_json::{Value, json};
use shared::store::upkeep::ImportError;
use tests::support::{World, key_of};

use crate::tenants::{declared, export};

/// An id of another organization: no line of the file has it. It lies within the bound of ids.
const ANOTHER: &str = "5000000";

/// Fields whose record may be deleted. Nothing tells of its deletion for good.
const MAY_BE_GONE: [&str; 9] = [
    "comment parentId",
    "invited_address invitationId",
    "notification commentId",
    "notification subject id",
    "organization_entry credential tokenId",
    "participant firstId",
    "sign_in_entry credential tokenId",
    "webhook_delivery change parent recordId",
    "webhook_delivery change recordId",
];

/// Names of fields with the id of an organization, a user or a record.
fn names_a_record(path: &[String]) -> bool {
    let name = path.last().unwrap().as_str();
    let is_named = name.ends_with("Id") || name.ends_with("Ids") || name.ends_with("By");
    let others = "id ids actor admin by task milestone project ticket service_request agent_session Milestone Phase Tag \
                  proposers referenceId user";
    is_named
        || others
            .split(' ')
            .any(|other| other == name)
}

/// Calls `each` with the path of each number of an item, and with each set of numbers.
fn each_number(
    value: &mut Value,
    path: &mut Vec<String>,
    each: &mut impl FnMut(&[String], &mut Value),
) {
    let Some((kind, inner)) = value
        .as_object_mut()
        .and_then(|value| value.iter_mut().next())
    else {
        return;
    };
    match kind.as_str() {
        "N" => each(path, inner),
        "NS" => each(path, &mut inner[0]),
        "M" => {
            for (name, member) in inner.as_object_mut().unwrap() {
                path.push(name.clone());
                each_number(member, path, each);
                path.pop();
            }
        }
        "L" => {
            for element in inner.as_array_mut().unwrap() {
                each_number(element, path, each);
            }
        }
        _ => {}
    }
}

/// The lines of a file that each name another organization's record in one field, with the field
/// and the line's number.
fn forged(lines: &[String]) -> BTreeMap<String, (usize, String)> {
    let mut forged_lines = BTreeMap::new();
    for (place, line) in lines.iter().enumerate().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        let kind = line["kind"]
            .as_str()
            .unwrap()
            .to_owned();
        let mut fields = Vec::new();
        let mut honest = json!({"M": line["item"]});
        each_number(&mut honest, &mut Vec::new(), &mut |path, _| {
            if names_a_record(path) {
                fields.push(path.to_vec());
            }
        });
        for field in fields {
            let mut item = json!({"M": line["item"]});
            each_number(&mut item, &mut Vec::new(), &mut |path, number| {
                if path == field {
                    *number = json!(ANOTHER);
                }
            });
            let forged = json!({"kind": kind, "item": item["M"]}).to_string();
            let name = format!("{kind} {}", field.join(" "));
            forged_lines
                .entry(name)
                .or_insert((place + 1, forged));
        }
    }
    forged_lines
}

/// Deletes the organization, and returns its export.
async fn leaves(world: &World) -> Vec<String> {
    let api = world.api();
    let store = &world.api().store;
    let suspended = store
        .directory()
        .suspend(api.home.id, true)
        .await
        .unwrap();
    api.publishes().await;
    let lines = export(world, true).await;
    let tenants = store.tenants();
    tenants
        .begin_deletion(&suspended)
        .await
        .unwrap();
    while tenants
        .delete_items(api.home.id, &mut |_| {})
        .await
        .unwrap()
        > 0
    {}
    tenants.bury(api.home.id).await.unwrap();
    api.publishes().await;
    lines
}

async fn keys(world: &World) -> BTreeSet<String> {
    let items = world.api().items().await;
    items.iter().map(key_of).collect()
}

#[tokio::test]
async fn no_line_of_a_file_names_anything_of_another_organization() {
    let world = World::filled().await;
    let lines = leaves(&world).await;
    let before = keys(&world).await;
    let tenants = world.api().store.tenants();
    let forged = forged(&lines);
    let kinds: BTreeSet<&str> = forged
        .keys()
        .map(|name| name.split(' ').next().unwrap())
        .collect();
    for kind in [
        "account",
        "agent_action",
        "cleanup",
        "email_holder",
        "task",
        "webhook_delivery",
        "webhooks",
    ] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
    let mut accepted = Vec::new();
    for (field, (place, line)) in &forged {
        if MAY_BE_GONE.contains(&field.as_str()) {
            continue;
        }
        let mut file = lines.clone();
        file[place - 1].clone_from(line);
        let outcome = tenants
            .import(Cursor::new(file.join("\n")), None)
            .await;
        let is_named = matches!(&outcome, Err(ImportError::Line(named, _)) if named == place);
        if !is_named {
            accepted.push(format!("{field} of line {place}: {outcome:?}"));
            // What was imported goes again.
            if outcome.is_ok() {
                leaves(&world).await;
            }
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
    // An item of each kind, at the place of another organization's in the table and in each index.
    let mut met = BTreeSet::new();
    for (place, line) in lines.iter().enumerate().skip(1) {
        let honest: Value = serde_json::from_str(line).unwrap();
        for key in ["pk", "gsi1pk", "gsi2pk", "gsi3pk", "gsi4pk"] {
            let is_new = met.insert((honest["kind"].to_string(), key));
            if honest["item"][key].is_null() || !is_new {
                continue;
            }
            let mut forged = honest.clone();
            forged["item"][key] = json!({"S": "ORG#2#TASK"});
            // The check ends with the first wrong line.
            let mut file = lines[..=place].to_vec();
            file[place] = forged.to_string();
            let refused = tenants
                .import(Cursor::new(file.join("\n")), None)
                .await;
            let expected = format!("line {}: ", place + 1);
            let refused = refused.unwrap_err().to_string();
            assert!(refused.starts_with(&expected), "{key}: {refused}");
        }
    }
    assert_eq!(keys(&world).await, before);
    tenants
        .import(Cursor::new(lines.join("\n")), None)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_whole_export_is_refused_by_its_line() {
    let world = World::filled().await;
    let lines = leaves(&world).await;
    let before = keys(&world).await;
    let tenants = world.api().store.tenants();
    let of_kind = |kind: &str| {
        let ends = format!("\"kind\":\"{kind}\"}}");
        lines
            .iter()
            .position(|line| line.ends_with(&ends))
            .unwrap()
    };
    let connection = lines[of_kind("connection")].replace(
        r#""ciphertext":{"S":""}"#,
        r#""ciphertext":{"S":"c2VjcmV0"}"#,
    );
    let [first, last] = [1, lines.len()];
    let edits: Vec<(usize, String, &str)> = vec![
        (
            last,
            lines[first].clone(),
            "an earlier line has the same key",
        ),
        (
            first,
            lines[first].replace(r#""kind":""#, r#""kind":"x"#),
            "not of the kind x",
        ),
        (first, "{}".to_owned(), "it is not an item of an export"),
        (of_kind("connection"), connection, "ciphertext"),
        (
            last,
            r#"{"kind":"task","item":{}}"#.to_owned(),
            "it is not an item",
        ),
    ];
    for (place, line, why) in edits {
        let mut file = lines.clone();
        match file.get_mut(place) {
            Some(honest) => *honest = line,
            None => file.push(line),
        }
        let refused = tenants
            .import(Cursor::new(file.join("\n")), None)
            .await
            .unwrap_err();
        assert!(matches!(refused, ImportError::Line(..)), "{refused:?}");
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let without_last = lines[..lines.len() - 1].join("\n");
    let refused = tenants
        .import(Cursor::new(without_last), None)
        .await
        .unwrap_err();
    assert!(
        matches!(refused, ImportError::Counts | ImportError::Line(..)),
        "{refused}"
    );
    assert_eq!(keys(&world).await, before);
}

/// A new kind that no export has: name it in `KEPT_BACK` of
/// `shared/store/src/upkeep/tenant/checking.rs`.
#[tokio::test]
async fn kinds_that_no_export_has_are_refused() {
    let world = World::filled().await;
    let lines = leaves(&world).await;
    let before = keys(&world).await;
    let tenants = world.api().store.tenants();
    let exported = lines.iter().skip(1).map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    let exported: BTreeSet<String> = exported.collect();
    let kept_back: Vec<String> = declared()
        .difference(&exported)
        .cloned()
        .collect();
    assert!(
        kept_back
            .iter()
            .any(|kind| kind == "session"),
        "{kept_back:?}"
    );
    for kind in kept_back
        .iter()
        .map(String::as_str)
        .chain(["later"])
    {
        let item = json!({"pk": {"S": "ORG#1#NEW"}, "sk": {"S": "x"}, "kind": {"S": kind}});
        let line = json!({"kind": kind, "item": item}).to_string();
        let file = [lines[0].clone(), line].join("\n");
        let refused = tenants
            .import(Cursor::new(file), None)
            .await
            .unwrap_err();
        let expected = match kind {
            "later" => "line 2: an item of the kind later ".to_owned(),
            _ => format!("line 2: no export has items of the kind {kind}"),
        };
        assert!(
            refused
                .to_string()
                .starts_with(&expected),
            "{refused}"
        );
    }
    assert_eq!(keys(&world).await, before);
}

/// A file whose reading breaks off during the writes, as the program does when it is killed.
struct Broken {
    file: Cursor<String>,
    /// Lines that are still read in the second round; none before it.
    left: Option<usize>,
    rounds: usize,
}

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl BufRead for Broken {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == Some(0) {
            return Err(io::Error::other("the program was killed"));
        }
        self.left = self.left.map(|left| left - 1);
        // A line at a time.
        let text = self.file.fill_buf()?;
        let end = text
            .iter()
            .position(|byte| *byte == b'\n');
        Ok(&text[..end.map_or(text.len(), |end| end + 1)])
    }

    fn consume(&mut self, bytes: usize) {
        self.file.consume(bytes);
    }
}

impl Seek for Broken {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.rounds += 1;
        if self.rounds == 2 {
            self.left = Some(60);
        }
        self.file.seek(to)
    }
}

#[tokio::test]
async fn an_interrupted_import_goes_on_also_as_a_new_organization() {
    let world = World::filled().await;
    let lines = leaves(&world).await;
    let text = lines.join("\n");
    let store = &world.api().store;
    let home = world.api().home.id;
    let tenants = store.tenants();
    let directory = store.directory();
    let name = "Copy".try_into().unwrap();
    let broken = || Broken {
        file: Cursor::new(text.clone()),
        left: None,
        rounds: 0,
    };
    let halves = async || {
        let organizations = directory
            .organizations()
            .await
            .unwrap()
            .into_iter();
        let organizations = organizations
            .filter_map(|(id, organization)| Some((id, organization.ok()?.import_of?)));
        organizations.collect::<Vec<_>>()
    };
    let mut half = None;
    for _ in 0..2 {
        let interrupted = tenants
            .import(broken(), Some(&name))
            .await
            .unwrap_err();
        assert!(
            matches!(interrupted, ImportError::Read(_)),
            "{interrupted:?}"
        );
        let [(id, import_of)] = halves().await[..] else {
            panic!("one half: {:?}", halves().await);
        };
        assert_eq!(import_of.organization, home);
        assert_eq!(*half.get_or_insert(id), id);
    }
    let imported = tenants
        .import(Cursor::new(text.clone()), Some(&name))
        .await
        .unwrap();
    assert_eq!(Some(imported.organization), half);
    assert!(halves().await.is_empty());
    // Without another line of the half: those of the export, but for the organization's own
    // reference.
    assert_eq!(imported.items, lines.len() - 2);

    // Under its own id, another file does not go on.
    let copy = directory
        .suspend(imported.organization, true)
        .await
        .unwrap();
    tenants
        .begin_deletion(&copy)
        .await
        .unwrap();
    while tenants
        .delete_items(copy.id, &mut |_| {})
        .await
        .unwrap()
        > 0
    {}
    tenants.bury(copy.id).await.unwrap();
    tenants
        .import(broken(), None)
        .await
        .unwrap_err();
    let at = lines[0].find(r#""at":"20"#).unwrap() + 6;
    let mut other = text.clone();
    other.replace_range(at..at + 4, "2020");
    let refused = tenants
        .import(Cursor::new(other), None)
        .await
        .unwrap_err();
    assert!(
        matches!(refused, ImportError::HalfImported(id, ..) if id == home),
        "{refused}"
    );
    tenants
        .import(Cursor::new(text), None)
        .await
        .unwrap();
    assert!(halves().await.is_empty());
}

#[tokio::test]
async fn a_file_uses_up_no_ids() {
    let world = World::filled().await;
    let lines = leaves(&world).await;
    let tenants = world.api().store.tenants();
    let text = lines.join("\n");
    let home = world.api().home.id;
    let of_home = format!(r#""organization":{home},"#);
    for (old, new) in [
        (r#"webhook:1""#, r#"webhook:9007199254740991""#),
        (&of_home, r#""organization":900000000,"#),
    ] {
        assert!(text.contains(old), "{old}");
        let file = Cursor::new(text.replace(old, new));
        let refused = tenants
            .import(file, None)
            .await
            .unwrap_err();
        let refused = refused.to_string();
        assert!(
            refused.contains("the most that this table takes"),
            "{refused}"
        );
    }
}
