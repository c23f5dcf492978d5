//! Log lines of the functions.

use std::{
    cell::RefCell,
    io,
    sync::{Arc, Mutex, Once},
};

use serde_json::Value;
use shared::telemetry;

/// The log of this thread, on which a test's functions run, until it is dropped.
pub struct Log {
    written: Written,
}

thread_local! {
    /// Where the lines of this thread go, if anybody reads them.
    static READ: RefCell<Option<Written>> = const { RefCell::new(None) };
}

/// Has all functions of all tests log from here on. Without it, lines that many threads log first
/// can be lost while a test begins to listen.
pub fn listens() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| {
        let writer = || READ.with_borrow(|read| Line(read.clone()));
        tracing::subscriber::set_global_default(telemetry::lines("", false, writer)).unwrap();
    });
}

impl Log {
    pub fn begin() -> Self {
        let written = Written::default();
        READ.set(Some(written.clone()));
        Self { written }
    }

    /// The lines since the last time.
    pub fn take(&self) -> Vec<Value> {
        let written = std::mem::take(&mut *self.written.0.lock().unwrap());
        let text = String::from_utf8(written).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        READ.set(None);
    }
}

#[derive(Clone, Debug, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

/// A line, for who reads it.
struct Line(Option<Written>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(Written(read)) = &self.0 {
            read.lock()
                .unwrap()
                .extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
