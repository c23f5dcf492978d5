//! `GET /desk/{file}`

use axum::response::Response;
use shared::endpoint::*;

use crate::file::{File, served};

const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/desk.rs"));

/// Serves a file of the desk. 404 for any other name.
pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    served(FILES, &name)
}
