//! Files that hold either the old or the new content, whenever the power goes.

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Replaces the content of a file, creating it and its folder where they are absent.
///
/// Only its owner can read it: one of these files holds a secret.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)?;
    file.write_all(content)?;
    file.sync_data()?;
    std::fs::rename(&beside, path)
}
