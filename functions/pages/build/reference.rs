//! The reference page: Swagger UI and its own files.

use std::{
    error::Error,
    fs,
    io::{Cursor, Read},
    path::Path,
};

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

use super::packed::{self, digest, write_table};

/// Files of Swagger UI: path in the release, and name here.
const VIEWER: [(&str, &str); 4] = [
    ("dist/swagger-ui.css", "swagger-ui.css"),
    ("dist/swagger-ui-bundle.js", "swagger-ui.js"),
    ("LICENSE", "swagger-ui-license.txt"),
    ("NOTICE", "swagger-ui-notice.txt"),
];

/// The page's own files, in the folder `reference`.
const OWN: [&str; 2] = ["reference.css", "reference.js"];

/// The guide to the API: its pages, one after the other.
const GUIDE: &str = "guide.txt";

/// Writes the page, which names each file as `{{name.extension}}`, and its files.
pub fn pack(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    let mut release = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for (place, name) in VIEWER {
        files.push((name, of_release(&mut release, place)?));
    }
    for name in OWN {
        files.push((name, fs::read(format!("reference/{name}"))?));
    }
    let mut guide = String::new();
    for page in super::GUIDE {
        guide.push_str(&fs::read_to_string(page)?);
        guide.push('\n');
    }
    files.push((GUIDE, guide.into_bytes()));
    let mut page = fs::read_to_string("reference/index.html")?;
    let mut packed = Vec::new();
    for (name, content) in files {
        let file = packed::pack(folder, name, &digest(&[&content]), &content)?;
        page = page.replace(&format!("{{{{{name}}}}}"), &file.name);
        packed.push(file);
    }
    fs::write(folder.join("reference.html"), page)?;
    write_table(folder, "reference.rs", &packed)
}

/// Reads a file of the release, whose single top folder is named for its version.
fn of_release(
    release: &mut ZipArchive<Cursor<&[u8]>>,
    place: &str,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let first = release.file_names().next();
    let first = first.ok_or("the viewer's release is empty")??;
    let top = first
        .split('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut content = Vec::new();
    let mut file = release.by_name(&format!("{top}/{place}"))?;
    file.read_to_end(&mut content)?;
    Ok(content)
}
