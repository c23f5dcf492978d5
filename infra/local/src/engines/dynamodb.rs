//! The embedded DynamoDB.

use std::path::Path;

use dynoxide::Database;

use crate::background::{Background, listen};

use super::{error::EngineError, options::TableEngine};

/// Starts DynamoDB. Returns its URL and server.
pub(super) fn start(engine: &TableEngine, port: u16) -> Result<(String, Background), EngineError> {
    let database = match engine {
        TableEngine::File(path) => open(path)?,
        _ => in_memory()?,
    };
    let io = |source| EngineError::Io {
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

/// A name that SQLite shares between connections of this process.
fn in_memory() -> Result<Database, EngineError> {
    let name = format!("file:{}?mode=memory&cache=shared", uuid::Uuid::new_v4());
    open_at(&name, "in memory")
}

fn open(path: &Path) -> Result<Database, EngineError> {
    let at = path.display().to_string();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|source| EngineError::Io {
            what: at.clone(),
            source,
        })?;
    }
    let text = path
        .to_str()
        .ok_or_else(|| EngineError::DatabasePath(path.to_owned()))?;
    let database = open_at(text, &at)?;
    // The engine does not delete expired items by itself, and this file may be kept for months.
    database
        .sweep_ttl()
        .map_err(|source| EngineError::Database { at, source })?;
    Ok(database)
}

/// Opens a database at an SQLite path, which errors call `at`. Every write asks for the newest
/// number of its table's stream: without the index, the engine reads all stream records for it.
fn open_at(path: &str, at: &str) -> Result<Database, EngineError> {
    const INDEX: &str = "CREATE INDEX IF NOT EXISTS workdesk_stream ON _stream_records \
                         (table_name, CAST(sequence_number AS INTEGER))";
    let database = Database::new(path).map_err(|source| EngineError::Database {
        at: at.to_owned(),
        source,
    })?;
    rusqlite::Connection::open(path)
        .and_then(|connection| connection.execute_batch(INDEX))
        .map_err(|source| EngineError::Index {
            at: at.to_owned(),
            source,
        })?;
    Ok(database)
}
