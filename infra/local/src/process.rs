//! Arguments and environment of this process. No other file reads them.

#![expect(
    clippy::disallowed_methods,
    reason = "no other code reads arguments and environment"
)]

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Returns the arguments after the program's name.
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    env::args_os().skip(1)
}

/// Returns a variable unless it is absent or empty.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns a variable unless it is absent, empty or not UTF-8.
pub(crate) fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

/// Returns the folders of `PATH`, and last cargo's own folder of programs.
pub(crate) fn program_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default();
    let cargo_home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    folders.extend(cargo_home.map(|home| home.join("bin")));
    folders
}

/// Returns the root folder of the sources, if cargo started this program.
pub(crate) fn workspace() -> Option<PathBuf> {
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let root = package.ancestors().nth(2)?;
    package
        .ends_with("infra/local")
        .then(|| root.to_owned())
}

/// Returns the path of another program of this workspace, in the same folder as this one.
pub(crate) fn sibling(name: &str) -> std::io::Result<PathBuf> {
    let program = env::current_exe()?;
    Ok(program
        .parent()
        .unwrap_or(Path::new(""))
        .join(name))
}
