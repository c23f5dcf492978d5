//! The folder in which a run keeps its data for the next.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use shared::random;

use super::Error;
use crate::atomic_file;

/// Which data this version reads. Raised with every change of a stored record or of the demo data
/// after which what an earlier version kept no longer reads, or lacks something.
const FORMAT: &str = "4";

/// What a run keeps, beside the format of it.
const KEPT: [&str; 6] = [
    "table.sqlite",
    "table.sqlite-wal",
    "table.sqlite-shm",
    "target-systems.json",
    "session-secret",
    "cookies.txt",
];

/// Held by one run at a time.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    /// Released when the file is closed, however the process ends.
    _lock: File,
}

impl DataFolder {
    /// Opens the folder, creating it if it is absent.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let failed = |source: io::Error| Error::Data {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        let lock = File::create(path.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(Error::DataInUse(path)),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn table(&self) -> PathBuf {
        self.path.join("table.sqlite")
    }

    pub(crate) fn target_systems(&self) -> PathBuf {
        self.path.join("target-systems.json")
    }

    /// Where the guide's commands keep their cookies.
    pub(crate) fn cookies(&self) -> PathBuf {
        self.path.join("cookies.txt")
    }

    /// Sees to it that what is kept here is of this version's format. Versions that had no number
    /// left none behind. An empty folder is given it before anything is kept, so that a run that
    /// ends half-way leaves no data without it.
    pub(crate) fn claim_format(&self) -> Result<(), Error> {
        let path = self.format();
        match fs::read_to_string(&path) {
            Ok(format) if format.trim() == FORMAT => return Ok(()),
            Ok(_) => return Err(Error::OtherFormat(self.path.clone())),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Data { path, source }),
        }
        if KEPT.iter().any(|name| self.path.join(name).exists()) {
            return Err(Error::OtherFormat(self.path.clone()));
        }
        atomic_file::write(&path, FORMAT.as_bytes()).map_err(|source| Error::Data { path, source })
    }

    fn format(&self) -> PathBuf {
        self.path.join("format")
    }

    /// Forgets everything that an earlier run kept, and nothing else that may lie here. The format
    /// goes last: what a clearing that broke off has left is still known for what it is.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        for name in KEPT.into_iter().chain(["format"]) {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::Data { path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The secret that signs sessions: made once, so that a restart signs nobody out.
    pub(crate) fn session_secret(&self) -> Result<String, Error> {
        let path = self.path.join("session-secret");
        let kept = match fs::read_to_string(&path) {
            Ok(secret) => Some(secret.trim().to_owned()),
            Err(source) if source.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(Error::Data { path, source }),
        };
        if let Some(secret) = kept.filter(|secret| !secret.is_empty()) {
            return Ok(secret);
        }
        let secret = hex::encode(random::bytes::<32>());
        atomic_file::write(&path, secret.as_bytes())
            .map_err(|source| Error::Data { path, source })?;
        Ok(secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_stays_until_it_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep");
        let secret = DataFolder::open(&path).unwrap().session_secret().unwrap();
        let data = DataFolder::open(&path).unwrap();
        assert_eq!(data.session_secret().unwrap(), secret);
        data.clear().unwrap();
        assert_ne!(data.session_secret().unwrap(), secret);
    }

    #[test]
    fn clearing_leaves_what_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataFolder::open(folder.path()).unwrap();
        fs::write(data.path().join("notes.txt"), "mine").unwrap();
        fs::write(data.table(), "old").unwrap();
        data.clear().unwrap();
        assert!(data.path().join("notes.txt").exists() && !data.table().exists());
    }

    #[test]
    fn what_another_version_kept_is_left_alone_until_it_is_cleared() {
        for format in [None, Some("1"), Some("3"), Some("5"), Some("")] {
            let folder = tempfile::tempdir().unwrap();
            let data = DataFolder::open(folder.path()).unwrap();
            fs::write(data.table(), "of another version").unwrap();
            if let Some(format) = format {
                fs::write(data.format(), format).unwrap();
            }
            let error = data.claim_format().unwrap_err();
            assert!(matches!(error, Error::OtherFormat(_)), "{error}");
            assert!(error.to_string().contains("--fresh"), "{error}");
            assert!(data.table().exists());
            data.clear().unwrap();
            data.claim_format().unwrap();
        }
    }

    #[test]
    fn what_this_version_kept_is_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataFolder::open(folder.path()).unwrap();
        data.claim_format().unwrap();
        data.session_secret().unwrap();
        fs::write(data.table(), "of this version").unwrap();
        data.claim_format().unwrap();
    }

    #[test]
    fn a_second_run_is_kept_out() {
        let folder = tempfile::tempdir().unwrap();
        let _first = DataFolder::open(folder.path()).unwrap();
        let second = DataFolder::open(folder.path()).unwrap_err();
        assert!(matches!(second, Error::DataInUse(_)), "{second}");
    }
}
