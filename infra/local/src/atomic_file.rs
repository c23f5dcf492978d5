//! Atomic replacement of files: after a crash, a file has either its old or its new content.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use tempfile::NamedTempFile;

/// Replaces the content of a file. Creates it and its folder if they are absent.
///
/// Only the file's owner can read it, since one of these files holds a secret.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}
