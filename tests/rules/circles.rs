//! No files of a crate need each other in a circle, so that each can be read after those that it
//! needs.

mod sources;
mod tokens;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use self::sources::Sources;

/// Files and folders with circles. The list may only get shorter.
const KNOWN: [&str; 7] = [
    "functions/resolution-agent/src/engine/playbook/",
    "infra/admin/src/",
    "infra/local/src/engines/",
    "infra/local/src/stack/",
    "infra/local/src/target_systems/",
    "infra/local/src/template/",
    "shared/store/src/",
];

#[test]
fn no_files_need_each_other_in_a_circle() {
    let mut known = BTreeSet::from(KNOWN);
    let mut wrong = Vec::new();
    for folder in crates() {
        let source = folder.join("src");
        let name = source.strip_prefix(root()).unwrap().display().to_string();
        for circle in Sources::of(&source).circles() {
            for (file, needs) in circle {
                let file = format!("{name}/{file}");
                let of = KNOWN.iter().find(|part| file.starts_with(**part));
                if let Some(part) = of {
                    known.remove(part);
                } else {
                    wrong.push(format!("{file} needs {}", needs.join(", ")));
                }
            }
        }
    }
    let gone = known.into_iter();
    wrong.extend(gone.map(|part| format!("{part} has no circle: take it off the list")));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The folders of all crates but the tests'.
fn crates() -> Vec<PathBuf> {
    let mut crates = vec![root().join("shared")];
    for group in ["shared", "functions", "infra"] {
        let folders = fs::read_dir(root().join(group)).unwrap();
        crates.extend(folders.map(|folder| folder.unwrap().path()));
    }
    crates.retain(|folder| folder.join("Cargo.toml").exists());
    crates.sort();
    assert!(crates.len() > 15, "{crates:?}");
    crates
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
