//! Files of a page.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use shared::endpoint::*;

/// A file of a page.
pub(crate) struct File {
    /// Name, with the digest of the content in it.
    pub(crate) name: &'static str,
    pub(crate) content_type: &'static str,
    /// Content, compressed with gzip. It is never served uncompressed, so the package stays small.
    pub(crate) gzip: &'static [u8],
}

/// Cache policy of files whose names have the digest of their content.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Cache policy of an answer with an entity tag: a browser keeps it, and asks whether it has
/// changed.
pub(crate) const CURRENT: &str = "no-cache";

/// Returns the file of that name. 404 for any other name.
pub(crate) fn served(files: &[File], name: &str) -> Result<Response, Problem> {
    let file = files
        .iter()
        .find(|file| file.name == name);
    let file = file.ok_or(Error::NotFound("file"))?;
    let headers = [
        (header::CONTENT_TYPE, file.content_type),
        (header::CONTENT_ENCODING, "gzip"),
        (header::CACHE_CONTROL, FOR_GOOD),
    ];
    Ok((headers, file.gzip).into_response())
}
