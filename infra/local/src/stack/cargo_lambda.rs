//! Finds cargo-lambda, or fetches it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Error;
use super::child::run_silently;
use crate::console;

const PROGRAM: &str = "cargo-lambda";

/// The version that this was tried with, and those compatible with it.
const REQUIREMENT: &str = "cargo-lambda>=1.9,<2";

/// The program's path. Without one in `programs` or below `tools`, fetches it into `tools`.
pub(crate) async fn find_or_fetch(programs: &[PathBuf], tools: &Path) -> Result<PathBuf, Error> {
    let folder = tools.join(PROGRAM);
    let fetched = folder.join("bin").join(PROGRAM);
    let known = programs.iter().map(|folder| folder.join(PROGRAM));
    if let Some(found) = known.chain([fetched.clone()]).find(|path| path.is_file()) {
        return Ok(found);
    }
    console::say("Fetching cargo-lambda …");
    let mut problems = Vec::new();
    for python in ["python3", "python"] {
        match fetch(python, &folder).await {
            Ok(()) if fetched.is_file() => return Ok(fetched),
            Ok(()) => problems.push(format!("{python}: the package brought no program")),
            Err(problem) => problems.push(format!("{python}: {problem}")),
        }
    }
    Err(Error::NoCargoLambda(problems.join("\n  ")))
}

/// The package is a wheel with the program in it: nothing is compiled, and nothing outside
/// of `folder` changes. Its only dependency, a cross compiler, is not needed to run functions here.
async fn fetch(python: &str, folder: &Path) -> Result<(), String> {
    let install = |target: &[&OsStr]| -> Vec<std::ffi::OsString> {
        let options = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ];
        let mut arguments: Vec<std::ffi::OsString> = options.map(Into::into).to_vec();
        arguments.extend(target.iter().map(|&part| part.to_owned()));
        arguments.push(REQUIREMENT.into());
        arguments
    };
    let without_venv = install(&[OsStr::new("--target"), folder.as_os_str()]);
    let first = match run_silently(python, &as_refs(&without_venv)).await {
        Ok(()) => return Ok(()),
        Err(problem) => problem,
    };
    // Some systems package pip apart from Python; a virtual environment may bring its own.
    if first.contains("No module named pip") {
        let venv = ["-m", "venv"].map(OsStr::new);
        let venv = [venv[0], venv[1], folder.as_os_str()];
        run_silently(python, &venv)
            .await
            .map_err(|second| format!("{first}; {second}"))?;
        let inside = install(&[]);
        return run_silently(folder.join("bin/python"), &as_refs(&inside)).await;
    }
    Err(first)
}

fn as_refs(arguments: &[std::ffi::OsString]) -> Vec<&OsStr> {
    arguments
        .iter()
        .map(std::ffi::OsString::as_os_str)
        .collect()
}
