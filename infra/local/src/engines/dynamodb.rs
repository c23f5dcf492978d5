//! The embedded DynamoDB.

use std::path::Path;

use dynoxide::Database;

use super::{error::Error, options::TableEngine};
use crate::background::{Background, listen};

/// Starts DynamoDB. Returns its URL and server.
pub(super) fn start(engine: &TableEngine, port: u16) -> Result<(String, Background), Error> {
    let database = match engine {
        TableEngine::File(path) => open(path)?,
        _ => Database::memory().map_err(|source| Error::Database {
            at: "in memory".to_owned(),
            source,
        })?,
    };
    let io = |source| Error::Io {
        what: format!("DynamoDB on port {port}"),
        source,
    };
    let (listener, address) = listen(port).map_err(io)?;
    let server = Background::start("dynamodb", move |stopping| async move {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        let _ = dynoxide::server::serve_with_shutdown(listener, database, stopping.wait()).await;
    })
    .map_err(io)?;
    Ok((format!("http://{address}"), server))
}

fn open(path: &Path) -> Result<Database, Error> {
    let at = || path.display().to_string();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|source| Error::Io { what: at(), source })?;
    }
    let text = path
        .to_str()
        .ok_or_else(|| Error::DatabasePath(path.to_owned()))?;
    let failed = |source| Error::Database { at: at(), source };
    let database = Database::new(text).map_err(failed)?;
    // The engine does not delete expired items by itself, and this file may be kept for months.
    database.sweep_ttl().map_err(failed)?;
    Ok(database)
}
