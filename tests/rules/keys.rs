//! The keys of the access patterns are those of the code, and the name of a record in keys is said
//! once.

use std::{collections::BTreeSet, fs};

use tests::{files, is_test, path};

const KEYS: &str = "shared/store/src/key";

#[test]
fn the_access_patterns_name_keys_of_the_code() {
    let mut code_names = of_records();
    for (_, text) in sources() {
        code_names.extend(words(&text));
    }
    let readme = fs::read_to_string(path("shared/store/README.md")).unwrap();
    let rows = readme
        .lines()
        .filter(|line| line.starts_with("| "));
    let mut named = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        if cells.len() == 7 {
            let code = cells[3].split('`').skip(1).step_by(2);
            named.extend(
                code.filter(|code| code.contains('#'))
                    .flat_map(words),
            );
        }
    }
    named.remove("KIND");
    assert!(named.len() > 40, "{named:?}");
    let unknown: Vec<_> = named.difference(&code_names).collect();
    assert!(unknown.is_empty(), "no key has {unknown:?}");
}

/// They say `RecordType::Task.facts().key`, which the compiler knows.
#[test]
fn keys_spell_no_name_of_a_record() {
    let names = of_records();
    for (file, text) in sources() {
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        for line in text
            .lines()
            .filter(|line| !is_comment(line))
        {
            let texts = line.split('"').skip(1).step_by(2);
            let parts = texts.flat_map(|text| text.split('#'));
            let spelled: Vec<_> = parts
                .filter(|part| names.contains(*part))
                .collect();
            assert!(spelled.is_empty(), "{file}: {line}");
        }
    }
}

/// The files of the key formats.
fn sources() -> Vec<(String, String)> {
    let mut files = files(&path(KEYS), &[".rs"]);
    files.retain(|file| !is_test(file));
    let named = files.iter();
    let named = named.map(|file| {
        (
            file.display().to_string(),
            fs::read_to_string(file).unwrap(),
        )
    });
    named.collect()
}

/// The names of records in keys.
fn of_records() -> BTreeSet<String> {
    let kinds = shared::model::base::RecordType::ALL.iter();
    kinds
        .map(|kind| kind.facts().key.to_owned())
        .collect()
}

/// The words in capitals.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|sign: char| !(sign.is_ascii_uppercase() || sign == '_'));
    let words = words.filter(|word| word.len() > 1);
    words.map(str::to_owned).collect()
}
