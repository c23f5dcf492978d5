//! The one place that reads what this process was started with: its arguments and its environment.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads them"
)]

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The arguments after the program's name.
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    env::args_os().skip(1)
}

/// A variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// A variable that is set to some text.
pub(crate) fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

/// The folders in which programs are looked for; cargo's own comes last.
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

/// A program of this workspace, which was built beside this one.
pub(crate) fn sibling(name: &str) -> std::io::Result<PathBuf> {
    let this = env::current_exe()?;
    Ok(this.parent().unwrap_or(Path::new("")).join(name))
}
