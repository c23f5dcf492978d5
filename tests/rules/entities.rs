//! An entity is said in few files: its type and its facts, its keys, its operations and its
//! endpoints. The lists of names of the folders of `model` and `store` do not count.

use std::{fs, path::Path};

use tests::{files, is_test, path};

use crate::circles::tokens::tokens;

/// Files of production code with a name that begins with the entity's. A number may only fall.
const FILES: &[(&str, usize)] = &[
    ("Activity", 19),
    ("Customer", 28),
    ("Milestone", 17),
    ("Phase", 14),
    ("Tag", 24),
    ("Ticket", 22),
    ("Webhook", 39),
];

/// Returns true for the module of a folder, such as `shared/model/src/work/mod.rs`.
fn is_list_of_names(file: &Path) -> bool {
    let subjects = ["base", "people", "updates", "upkeep", "work"];
    subjects
        .iter()
        .any(|subject| file.ends_with(format!("{subject}/mod.rs")))
}

#[test]
fn an_entity_is_said_in_few_files() {
    let files = ["shared", "functions"].map(|top| files(&path(top), &[".rs"]));
    let files = files
        .iter()
        .flatten()
        .filter(|file| !is_test(file) && !is_list_of_names(file));
    let words = files.map(|file| (file, tokens(&fs::read_to_string(file).unwrap())));
    let words: Vec<_> = words.collect();
    for (entity, most) in FILES {
        let names = |token: &String| {
            let rest = token.strip_prefix(entity);
            rest.is_some_and(|rest| {
                !rest.starts_with(|next: char| next.is_lowercase()) || rest == "s"
            })
        };
        let naming = words
            .iter()
            .filter(|(_, words)| words.iter().any(names));
        let naming: Vec<_> = naming
            .map(|(file, _)| file.display().to_string())
            .collect();
        let count = naming.len();
        let list = naming.join("\n");
        assert!(
            count <= *most,
            "{count} files name {entity}; at most {most}:\n{list}"
        );
    }
}
