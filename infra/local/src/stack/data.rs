//! The folder in which a run keeps its data for the next.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use shared::random;

use super::Error;
use crate::atomic_file;

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

    /// Forgets everything that an earlier run kept, and nothing else that may lie here.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        for name in [
            "table.sqlite",
            "table.sqlite-wal",
            "table.sqlite-shm",
            "target-systems.json",
            "session-secret",
            "cookies.txt",
        ] {
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
    fn a_second_run_is_kept_out() {
        let folder = tempfile::tempdir().unwrap();
        let _first = DataFolder::open(folder.path()).unwrap();
        let second = DataFolder::open(folder.path()).unwrap_err();
        assert!(matches!(second, Error::DataInUse(_)), "{second}");
    }
}
