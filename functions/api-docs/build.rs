//! Packs the files of the reference page: those that it needs of Swagger UI, from the release in
//! `utoipa-swagger-ui-vendored`, and its own. Each file is compressed, and has the digest of its
//! content in its name, so that browsers may cache it forever.

use std::{
    error::Error,
    fmt::Write as _,
    fs,
    io::{Cursor, Read, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

/// Files of Swagger UI: path in the release, name and extension here.
const VIEWER: [(&str, &str, &str); 4] = [
    ("dist/swagger-ui.css", "swagger-ui", "css"),
    ("dist/swagger-ui-bundle.js", "swagger-ui", "js"),
    ("LICENSE", "swagger-ui-license", "txt"),
    ("NOTICE", "swagger-ui-notice", "txt"),
];

/// The page's own files, in the folder `page`: name and extension.
const OWN: [(&str, &str); 2] = [("page", "css"), ("page", "js")];

/// The page itself, which names each file as `{{name.extension}}`.
const PAGE: &str = "index.html";

struct Packed {
    /// Name in the page's placeholders.
    known_as: String,
    /// Name under which it is served.
    name: String,
    content_type: &'static str,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo names the output folder there"
    )]
    let folder = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let folder = PathBuf::from(folder);
    let mut packed = Vec::new();
    let mut release = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for (place, name, extension) in VIEWER {
        let content = of_release(&mut release, place)?;
        packed.push(pack(&folder, name, extension, &content)?);
    }
    for (name, extension) in OWN {
        let content = fs::read(format!("page/{name}.{extension}"))?;
        packed.push(pack(&folder, name, extension, &content)?);
    }
    let mut page = fs::read_to_string(format!("page/{PAGE}"))?;
    for file in &packed {
        page = page.replace(&format!("{{{{{}}}}}", file.known_as), &file.name);
    }
    fs::write(folder.join(PAGE), page)?;
    fs::write(folder.join("files.rs"), table(&packed)?)?;
    Ok(())
}

/// Reads a file of the release, whose single top folder is named for its version.
fn of_release(
    release: &mut ZipArchive<Cursor<&[u8]>>,
    place: &str,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let first = release
        .file_names()
        .next()
        .ok_or("the viewer's release is empty")??;
    let top = first.split('/').next().unwrap_or_default().to_owned();
    let mut content = Vec::new();
    release
        .by_name(&format!("{top}/{place}"))?
        .read_to_end(&mut content)?;
    Ok(content)
}

/// Writes a file compressed, with the digest of its content in its name.
fn pack(
    folder: &Path,
    name: &str,
    extension: &str,
    content: &[u8],
) -> Result<Packed, Box<dyn Error>> {
    let content_type = match extension {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        other => return Err(format!("no content type is known for *.{other}").into()),
    };
    let digest = hex::encode(&Sha256::digest(content)[..8]);
    let served = format!("{name}.{digest}.{extension}");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    fs::write(folder.join(&served), encoder.finish()?)?;
    Ok(Packed {
        known_as: format!("{name}.{extension}"),
        name: served,
        content_type,
    })
}

/// Returns the Rust array of all files, of the type `File` in `file.rs`.
fn table(packed: &[Packed]) -> Result<String, Box<dyn Error>> {
    let mut text = "[\n".to_owned();
    for Packed {
        name, content_type, ..
    } in packed
    {
        let file = format!("concat!(env!(\"OUT_DIR\"), {:?})", format!("/{name}"));
        writeln!(
            text,
            "    File {{ name: {name:?}, content_type: {content_type:?}, gzip: include_bytes!({file}) }},"
        )?;
    }
    text.push_str("]\n");
    Ok(text)
}
