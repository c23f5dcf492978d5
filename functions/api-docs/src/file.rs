//! `GET /api/docs/{file}`

use axum::response::{IntoResponse, Response};
use http::header;
use shared::endpoint::*;

/// A file of the page.
struct File {
    /// Name, with the digest of the content in it.
    name: &'static str,
    content_type: &'static str,
    /// Content, compressed with gzip. It is never served uncompressed, so the package stays small.
    gzip: &'static [u8],
}

/// Files of the page.
const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Cache policy of files whose names have the digest of their content.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Serves a file of the page. 404 for any other name.
pub async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    let file = FILES.iter().find(|file| file.name == name);
    let file = file.ok_or(Error::NotFound("file"))?;
    let headers = [
        (header::CONTENT_TYPE, file.content_type),
        (header::CONTENT_ENCODING, "gzip"),
        (header::CACHE_CONTROL, FOR_GOOD),
    ];
    Ok((headers, file.gzip).into_response())
}
