//! Wrong clocks: a library shifts the clock of the process that loads it.

use std::{path::Path, process::Command};

/// Compiles the library and answers where it is.
pub fn compile() -> String {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = crate_folder.join("../target/fault-campaign");
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder
        .canonicalize()
        .unwrap()
        .join("clock_shift.so");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
        .arg(&library)
        .arg(crate_folder.join("programs/fault_campaign/clock_shift.c"))
        .status();
    let holds = compiled.is_ok_and(|status| status.success());
    assert!(holds, "the campaign needs a C compiler, cc");
    library
        .into_os_string()
        .into_string()
        .unwrap()
}
