//! An entity is said in few files: its type and its facts, its keys, its operations and its endpoints.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tests::path;

use crate::circles::tokens::tokens;

/// Files of production code with a name that begins with the entity's. A number may only fall.
const FILES: &[(&str, usize)] = &[
    ("Activity", 24),
    ("Milestone", 16),
    ("Phase", 13),
    ("Tag", 29),
    ("Ticket", 23),
    ("Webhook", 40),
];

#[test]
fn an_entity_is_said_in_few_files() {
    let mut files = Vec::new();
    for top in ["shared", "functions"] {
        collect(&path(top), &mut files);
    }
    let words: Vec<_> = files
        .iter()
        .map(|file| (file, tokens(&fs::read_to_string(file).unwrap())))
        .collect();
    for (entity, most) in FILES {
        let names = |token: &String| {
            let rest = token.strip_prefix(entity);
            rest.is_some_and(|rest| {
                !rest.starts_with(|next: char| next.is_lowercase()) || rest == "s"
            })
        };
        let naming = words.iter().filter(|(_, words)| words.iter().any(names));
        let naming: Vec<_> = naming.map(|(file, _)| file.display().to_string()).collect();
        let (count, list) = (naming.len(), naming.join("\n"));
        assert!(count <= *most, "{count} files name {entity}:\n{list}");
    }
}

/// Adds the files of a folder, tests apart.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests.rs" {
            files.push(path);
        }
    }
}
