//! Packs the files of both pages: the desk's from the folder `desk`, the reference's from the folder
//! `reference` and from the release of Swagger UI in `utoipa-swagger-ui-vendored`. Each file is compressed,
//! and has a digest in its name, so that browsers may cache it forever.

#[path = "build/desk.rs"]
mod desk;
#[path = "build/packed.rs"]
mod packed;
#[path = "build/reference.rs"]
mod reference;

use std::{error::Error, fs, path::PathBuf};

use packed::digest;

/// The guide to the API.
const GUIDE: &str = "../README.md";

/// The OpenAPI document.
const DOCUMENT: &str = "../../infra/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    for source in ["build.rs", "build", "desk", "reference", GUIDE, DOCUMENT] {
        println!("cargo::rerun-if-changed={source}");
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo names the output folder there"
    )]
    let folder = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let folder = PathBuf::from(folder);
    desk::pack(&folder)?;
    reference::pack(&folder)?;
    let document = digest(&[&fs::read(DOCUMENT)?]);
    println!("cargo::rustc-env=DOCUMENT_DIGEST={document}");
    Ok(())
}
