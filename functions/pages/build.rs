//! Packs the files of both pages: the desk's from the folder `desk`, the reference's from the
//! folder `reference` and from the release of Swagger UI in `utoipa-swagger-ui-vendored`. Each file
//! is compressed, and has a digest in its name, so that browsers may cache it forever.

#[path = "build/desk.rs"]
mod desk;
#[path = "build/packed.rs"]
mod packed;
#[path = "build/reference.rs"]
mod reference;

use std::{error::Error, fs, path::PathBuf};

use packed::digest;

/// The pages of the guide to the API, in the order of their index. They are served as one text.
const GUIDE: [&str; 14] = [
    "../README.md",
    "../SIGN_IN.md",
    "../ERRORS.md",
    "../LISTS.md",
    "../CLIENTS.md",
    "../PROVIDER.md",
    "../WORK.md",
    "../TICKETS.md",
    "../AGENT.md",
    "../FEED.md",
    "../WEBHOOKS.md",
    "../NOTIFICATIONS.md",
    "../PEOPLE.md",
    "../JOURNAL.md",
];

/// The OpenAPI document.
const DOCUMENT: &str = "../../infra/openapi.json";

/// The setting with the folder `desk` of the release before, whose files are served, too.
const DESK_BEFORE: &str = "WORKDESK_DESK_BEFORE";

/// A folder that the environment names.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo and infra/release.py set folders there"
)]
fn set(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(name)?;
    (!folder.is_empty()).then(|| folder.into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let sources = ["build.rs", "build", "desk", "reference", DOCUMENT];
    for source in sources.into_iter().chain(GUIDE) {
        println!("cargo::rerun-if-changed={source}");
    }
    println!("cargo::rerun-if-env-changed={DESK_BEFORE}");
    let folder = set("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let before = set(DESK_BEFORE);
    if let Some(before) = &before {
        println!("cargo::rerun-if-changed={}", before.display());
    }
    desk::pack(&folder, before.as_deref())?;
    reference::pack(&folder)?;
    let document = digest(&[&fs::read(DOCUMENT)?]);
    println!("cargo::rustc-env=DOCUMENT_DIGEST={document}");
    Ok(())
}
