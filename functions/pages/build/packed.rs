//! Files as they are served.

use std::{error::Error, fmt::Write as _, fs, io::Write as _, path::Path};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// A file in the output folder.
pub struct Packed {
    /// Name under which it is served.
    pub name: String,
    content_type: &'static str,
}

/// Returns a digest of these contents, as names and entity tags have it.
pub fn digest(contents: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for content in contents {
        digest.update(content.len().to_le_bytes());
        digest.update(content);
    }
    hex::encode(&digest.finalize()[..8])
}

/// Writes a file compressed, with a digest in its name.
pub fn pack(
    folder: &Path,
    name: &str,
    digest: &str,
    content: &[u8],
) -> Result<Packed, Box<dyn Error>> {
    let (stem, extension) = name
        .rsplit_once('.')
        .ok_or("a file without an extension")?;
    let content_type = match extension {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        other => return Err(format!("no content type is known for *.{other}").into()),
    };
    let name = format!("{stem}.{digest}.{extension}");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    fs::write(folder.join(&name), encoder.finish()?)?;
    Ok(Packed { name, content_type })
}

/// Writes the Rust array of these files, of the type `File` in `src/file.rs`.
pub fn write_table(folder: &Path, table: &str, packed: &[Packed]) -> Result<(), Box<dyn Error>> {
    let mut text = "[\n".to_owned();
    for Packed { name, content_type } in packed {
        let path = format!("/{name}");
        let file = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), {path:?}))");
        let fields = format!("name: {name:?}, content_type: {content_type:?}, gzip: {file}");
        writeln!(text, "    File {{ {fields} }},")?;
    }
    text.push_str("]\n");
    fs::write(folder.join(table), text)?;
    Ok(())
}
