//! `GET /api/docs/{file}`

use axum::response::{IntoResponse, Response};
use http::header;
use shared::{Error, Problem, http::Path};

/// A file of the page.
struct File {
    /// It has its content's digest in it.
    name: &'static str,
    content_type: &'static str,
    /// Compressed: one that cannot be served otherwise is small in the function's package as well.
    gzip: &'static [u8],
}

/// Every file.
const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// What is called by its content may be kept for good.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Serves a file of the page; there are no others.
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
