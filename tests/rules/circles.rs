//! No files of a crate need each other in a circle: each can be read after the files that it needs.

mod sources;
pub mod tokens;

use std::{fs, path::PathBuf};

use tests::path;

use self::sources::Sources;

#[test]
fn no_files_need_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for folder in crates() {
        let source = folder.join("src");
        let name = source
            .strip_prefix(path(""))
            .unwrap()
            .display();
        for (file, needs) in Sources::of(&source)
            .circles()
            .into_iter()
            .flatten()
        {
            wrong.push(format!("{name}/{file} needs {}", needs.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The folders of the crate `agent`. Each needs only itself and those before it.
const AGENT: [&str; 9] = [
    "alert",
    "connection",
    "check",
    "journal",
    "action",
    "policy",
    "pattern",
    "session",
    "transition",
];

#[test]
fn folders_of_agent_need_only_those_before_them() {
    let sources = Sources::of(&path("shared/agent/src"));
    let needs = sources.needs_of_folders();
    let place = |folder: &str| {
        let place = AGENT
            .iter()
            .position(|known| *known == folder);
        place.unwrap_or_else(|| panic!("{folder} has no place"))
    };
    let mut wrong = Vec::new();
    for (file, folder, needed) in &needs {
        if place(folder) < place(needed) {
            wrong.push(format!("{file} needs {needed}"));
        }
    }
    assert!(needs.len() > 50, "{needs:?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The folders of all crates but the tests'.
pub fn crates() -> Vec<PathBuf> {
    let mut crates = vec![path("shared")];
    for group in ["shared", "functions", "infra"] {
        let folders = fs::read_dir(path(group)).unwrap();
        crates.extend(folders.map(|folder| folder.unwrap().path()));
    }
    crates.retain(|folder| folder.join("Cargo.toml").exists());
    crates.sort();
    assert!(crates.len() > 15, "{crates:?}");
    crates
}
