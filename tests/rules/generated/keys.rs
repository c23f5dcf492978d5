//! The keys of each kind of item, as the filled world has them.

use std::collections::{BTreeMap, BTreeSet};

use tests::support::{Item, World, text_of};

/// The table and its indexes: their attributes of a partition key and a sort key.
const INDEXES: [(&str, &str); 5] = [
    ("pk", "sk"),
    ("gsi1pk", "gsi1sk"),
    ("gsi2pk", "gsi2sk"),
    ("gsi3pk", "gsi3sk"),
    ("gsi4pk", "gsi4sk"),
];

/// The rows: a kind, its keys in the table, and those in each index.
pub async fn table() -> Vec<String> {
    let world = World::filled().await;
    let mut kinds = BTreeMap::<String, [BTreeSet<String>; 5]>::new();
    for item in world.api().items().await {
        let forms = kinds
            .entry(text_of(&item, "kind").to_owned())
            .or_default();
        for (forms, names) in forms.iter_mut().zip(INDEXES) {
            forms.extend(form(&item, names));
        }
    }
    let head = [
        "| kind | table | gsi1 | gsi2 | gsi3 | gsi4 |",
        "|---|---|---|---|---|---|",
    ];
    let rows = kinds.into_iter().map(|(kind, forms)| {
        let kind = if kind.is_empty() { "(none)" } else { &kind };
        let cells = forms.map(|forms| {
            forms
                .into_iter()
                .collect::<Vec<_>>()
                .join("<br>")
        });
        format!("| {kind} | {} |", cells.join(" | "))
    });
    head.map(str::to_owned)
        .into_iter()
        .chain(rows)
        .collect()
}

/// The form of an item's key in an index that has it.
fn form(item: &Item, (partition, sort): (&str, &str)) -> Option<String> {
    let partition = text_of(item, partition);
    let sort = text_of(item, sort);
    (!partition.is_empty()).then(|| format!("`{}` / `{}`", parts(partition), parts(sort)))
}

/// The parts of a key; a number, an instant, or another value by its name alone. A tenant's prefix
/// is left out.
fn parts(key: &str) -> String {
    let mut parts: Vec<&str> = key.split('#').collect();
    if parts[0] == "ORG" && parts.len() > 2 {
        parts.splice(..2, [""]);
    }
    let named = parts
        .into_iter()
        .map(|part| match part {
            "" | "~" => part,
            _ if part
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_') =>
            {
                part
            }
            _ if part
                .bytes()
                .all(|byte| byte.is_ascii_digit()) =>
            {
                "n"
            }
            _ if part.len() >= 20 && part.as_bytes()[10] == b'T' && part.ends_with('Z') => {
                "instant"
            }
            _ if part.len() == 64
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit()) =>
            {
                "hash"
            }
            _ => "text",
        });
    named.collect::<Vec<_>>().join("#")
}
