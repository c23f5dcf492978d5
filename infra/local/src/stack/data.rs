//! The folder of the data that is kept between runs.

use std::{
    fs::{self, File, Permissions, TryLockError},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use shared::random;

use crate::atomic_file;

use super::error::Error;

/// Format of the data that this version reads. Raise it with every change of stored records or demo
/// data after which data of an earlier version cannot be read or is incomplete.
const FORMAT: &str = "10";

/// The mode of a file that only its owner reads and writes.
const PRIVATE: u32 = 0o600;

/// Files of a run, without the one that holds the format.
const KEPT: [&str; 11] = [
    "stream-position",
    "indexer-position",
    "table.sqlite",
    "table.sqlite-wal",
    "table.sqlite-shm",
    "target-systems.json",
    "session-secret",
    "link-secret",
    "webhook-secret",
    "secrets-key",
    // Of earlier versions.
    "cookies.txt",
];

/// The data folder, locked by one run at a time.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    /// Lock, released when the file is closed, however the process ends.
    _lock: File,
}

impl DataFolder {
    /// Opens and locks the folder. Creates it if it is absent.
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

    /// Creates the file that the table's engine writes. Only the owner can read it, and what the
    /// engine makes beside it.
    pub(crate) fn create_table_file(&self) -> Result<(), Error> {
        let path = self.table();
        let mut options = File::options();
        options
            .create(true)
            .append(true)
            .mode(PRIVATE);
        let opened = options.open(&path).and_then(|file| {
            // An earlier version let everyone read it.
            file.set_permissions(Permissions::from_mode(PRIVATE))
        });
        opened.map_err(|source| Error::Data { path, source })
    }

    /// The file with the position of the last change that the publisher handled.
    pub(crate) fn stream_position(&self) -> PathBuf {
        self.path.join("stream-position")
    }

    /// The file with the position of the last change that the indexer handled.
    pub(crate) fn indexer_position(&self) -> PathBuf {
        self.path.join("indexer-position")
    }

    pub(crate) fn target_systems(&self) -> PathBuf {
        self.path.join("target-systems.json")
    }

    /// Checks that the data has this version's format. Data without a format is of an old version.
    /// In an empty folder, writes the format before any data, so that an interrupted run leaves no
    /// data without it.
    pub(crate) fn claim_format(&self) -> Result<(), Error> {
        let path = self.format();
        match fs::read_to_string(&path) {
            Ok(format) if format.trim() == FORMAT => return Ok(()),
            Ok(_) => return Err(Error::OtherFormat(self.path.clone())),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Data { path, source }),
        }
        if KEPT
            .iter()
            .any(|name| self.path.join(name).exists())
        {
            return Err(Error::OtherFormat(self.path.clone()));
        }
        atomic_file::write(&path, FORMAT.as_bytes()).map_err(|source| Error::Data { path, source })
    }

    fn format(&self) -> PathBuf {
        self.path.join("format")
    }

    /// Deletes the data of earlier runs and no other files. The format is deleted last, so that the
    /// rest of an interrupted deletion keeps its format.
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

    /// Returns the secret that signs sessions. It is kept, so that a restart signs no user out.
    pub(crate) fn session_secret(&self) -> Result<String, Error> {
        self.secret("session-secret")
    }

    /// Returns the secret that signs the links of mails. It is kept, so that a restart ends no
    /// link.
    pub(crate) fn link_secret(&self) -> Result<String, Error> {
        self.secret("link-secret")
    }

    /// Returns the secret from which those of webhooks follow. It is kept, so that receivers need
    /// no other.
    pub(crate) fn webhook_secret(&self) -> Result<String, Error> {
        self.secret("webhook-secret")
    }

    /// Returns the key that encrypts the connections' secrets. It is kept with their ciphertexts.
    pub(crate) fn secrets_key(&self) -> Result<[u8; 32], Error> {
        let name = "secrets-key";
        let mut key = [0; 32];
        hex::decode_to_slice(self.secret(name)?, &mut key).map_err(|error| Error::Data {
            path: self.path.join(name),
            source: io::Error::new(io::ErrorKind::InvalidData, error),
        })?;
        Ok(key)
    }

    fn secret(&self, name: &str) -> Result<String, Error> {
        let path = self.path.join(name);
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
    fn the_secrets_stay_until_they_are_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep");
        let data = DataFolder::open(&path).unwrap();
        let secret = data.session_secret().unwrap();
        let key = data.secrets_key().unwrap();
        drop(data);
        let data = DataFolder::open(&path).unwrap();
        assert_eq!(data.session_secret().unwrap(), secret);
        assert_eq!(data.secrets_key().unwrap(), key);
        data.clear().unwrap();
        assert_ne!(data.session_secret().unwrap(), secret);
        assert_ne!(data.secrets_key().unwrap(), key);
        fs::write(data.path().join("secrets-key"), "no key").unwrap();
        let error = data
            .secrets_key()
            .unwrap_err()
            .to_string();
        assert!(error.contains("secrets-key"), "{error}");
    }

    #[test]
    fn only_the_owner_reads_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataFolder::open(folder.path()).unwrap();
        fs::write(data.table(), "kept").unwrap();
        fs::set_permissions(data.table(), Permissions::from_mode(0o644)).unwrap();
        data.create_table_file().unwrap();
        let mode = fs::metadata(data.table())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, PRIVATE);
        assert_eq!(fs::read(data.table()).unwrap(), b"kept");
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
        let later = format!("{FORMAT}0");
        for format in [None, Some("1"), Some(later.as_str()), Some("")] {
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
