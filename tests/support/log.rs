//! What the functions log.

use std::{
    io,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use shared::telemetry;
use tracing::subscriber::DefaultGuard;

/// The log of this thread, on which a test's functions run, until it is dropped.
pub struct Log {
    written: Written,
    _until: DefaultGuard,
}

impl Log {
    /// Begins it.
    pub fn begin() -> Self {
        let written = Written::default();
        let writer = written.clone();
        let lines = telemetry::lines("", move || writer.clone());
        Self {
            written,
            _until: tracing::subscriber::set_default(lines),
        }
    }

    /// The lines since the last time.
    pub fn take(&self) -> Vec<Value> {
        let written = std::mem::take(&mut *self.written.0.lock().unwrap());
        let text = String::from_utf8(written).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }
}

#[derive(Clone, Debug, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
