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
