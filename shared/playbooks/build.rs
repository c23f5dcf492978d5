//! Writes the playbooks' files as one JSON list of `{name, hash, content}`, so that no function has
//! to parse TOML. The hash is the file's SHA-256 digest.

use std::{error::Error, fs, path::Path};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const FOLDER: &str = "files";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let paths = fs::read_dir(FOLDER)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|end| end == "toml")
    });
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        files.push(file(&path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo names the output folder there"
    )]
    let folder = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let list = Value::from(files).to_string();
    fs::write(Path::new(&folder).join("files.json"), list)?;
    Ok(())
}

fn file(path: &Path) -> Result<Value, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let name = path
        .file_stem()
        .and_then(|stem| stem.to_str());
    let content: Value = toml::from_str(&text)?;
    Ok(json!({ "name": name, "hash": hex::encode(Sha256::digest(&text)), "content": content }))
}
