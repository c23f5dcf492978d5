//! Dependencies: their licences, one registry, few crates twice, and one library for TLS. Known
//! vulnerabilities need the network: CONTRIBUTING.md has the command.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use serde_json::Value;
use tests::FUNCTIONS;

/// Licences of dependencies. None asks for the source of what is linked to it.
const LICENCES: &str =
    "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 Unicode-3.0 Zlib";

/// The only source of crates.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Crates in several versions, of all platforms, and how many. The list may only shrink.
/// `openidconnect` brought twelve, all of cryptography and of its errors: its hashes and keys are
/// those before the present ones.
const SEVERAL: [(&str, usize); 26] = [
    ("base64", 3),
    ("block-buffer", 2),
    ("const-oid", 2),
    ("cpufeatures", 2),
    ("crypto-common", 2),
    ("der", 2),
    ("digest", 2),
    ("foldhash", 2),
    ("getrandom", 3),
    ("hashbrown", 3),
    ("hmac", 2),
    ("http", 2),
    ("indexmap", 2),
    ("pem-rfc7468", 2),
    ("pkcs8", 2),
    ("r-efi", 2),
    ("rand", 2),
    ("rand_core", 2),
    ("schemars", 2),
    ("sha2", 2),
    ("signature", 2),
    ("spki", 2),
    ("syn", 2),
    ("thiserror", 2),
    ("thiserror-impl", 2),
    ("windows-sys", 2),
];

/// Libraries of cryptography that speak TLS.
const TLS: [&str; 5] = ["aws-lc-rs", "boring", "native-tls", "openssl", "ring"];

/// The packages of this machine's platform, without those of other platforms, which may not be
/// downloaded.
fn metadata() -> Value {
    let about = output(Command::new("rustc").arg("-vV"));
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--locked", "--offline"]);
    cargo.args(["--filter-platform", host.unwrap()]);
    serde_json::from_str(&output(&mut cargo)).unwrap()
}

/// Runs a command, which must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

/// The packages that are used on this platform, by id.
fn used(metadata: &Value) -> BTreeMap<&str, &Value> {
    let nodes = list(&metadata["resolve"], "nodes").map(|node| text(node, "id"));
    let used: BTreeSet<_> = nodes.collect();
    let packages = list(metadata, "packages").map(|package| (text(package, "id"), package));
    packages.filter(|(id, _)| used.contains(id)).collect()
}

/// True if a choice of an SPDX expression has only licences of the list. `/` is an old form of
/// `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ");
    let spaced = spaced.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut words = words.as_slice();
    let allowed = any(&mut words);
    assert!(words.is_empty(), "not read: {expression}");
    allowed
}

fn take<'a>(words: &mut &[&'a str]) -> Option<&'a str> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    Some(first)
}

fn takes(words: &mut &[&str], word: &str) -> bool {
    let is_next = words.first() == Some(&word);
    if is_next {
        take(words);
    }
    is_next
}

fn any(words: &mut &[&str]) -> bool {
    let mut allowed = all(words);
    while takes(words, "OR") {
        allowed |= all(words);
    }
    allowed
}

fn all(words: &mut &[&str]) -> bool {
    let mut allowed = one(words);
    while takes(words, "AND") {
        allowed &= one(words);
    }
    allowed
}

fn one(words: &mut &[&str]) -> bool {
    if takes(words, "(") {
        let allowed = any(words);
        assert!(takes(words, ")"));
        return allowed;
    }
    let name = take(words);
    // An exception adds freedoms.
    if takes(words, "WITH") {
        take(words);
    }
    name.is_some_and(|name| LICENCES.split(' ').any(|one| one == name))
}

#[test]
fn licences_are_read_as_spdx_writes_them() {
    for allowed in [
        "MIT",
        "MIT/GPL-3.0-only",
        "GPL-3.0-only OR (MIT AND ISC)",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "(MIT OR ISC) AND AGPL-3.0-only",
    ] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn dependencies_have_licences_that_may_be_shipped() {
    let metadata = metadata();
    let used = used(&metadata);
    assert!(used.len() > 200, "{}", used.len());
    let packages = used
        .values()
        .map(|one| (text(one, "name"), text(one, "license")));
    let others: Vec<_> = packages
        .filter(|(_, licence)| !is_allowed(licence))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn crates_come_from_one_registry_and_few_come_twice() {
    let lock = include_str!("../../Cargo.lock");
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let mut lines = package.lines();
            let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
            line.map(|value| value.trim_end_matches('"'))
        };
        *versions.entry(field("name").unwrap()).or_default() += 1;
        // Packages of this workspace have none.
        let holds = field("source").is_none_or(|source| source == REGISTRY);
        assert!(holds, "{package}");
    }
    versions.retain(|_, count| *count > 1);
    assert_eq!(
        versions,
        BTreeMap::from(SEVERAL),
        "another crate comes in several versions, or one no longer does"
    );
}

/// Two libraries for TLS are two to watch, and a megabyte more in each function. The metadata of
/// packages has features of other platforms, too, so Cargo prints the tree of this one.
#[test]
fn functions_have_one_library_for_tls() {
    for function in FUNCTIONS {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--locked", "--offline", "--edges=normal"]);
        cargo.args(["--prefix=none", "--package", function.name]);
        let tree = output(&mut cargo);
        let names = tree.lines().filter_map(|line| line.split(' ').next());
        let names: BTreeSet<_> = names.collect();
        let mut tls = TLS.to_vec();
        tls.retain(|name| names.contains(name));
        assert_eq!(tls, ["aws-lc-rs"], "{}", function.name);
    }
}
