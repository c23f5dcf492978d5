//! The log of the local stack: lines for people on a terminal, JSON elsewhere.

use std::io::{self, IsTerminal, Write};

use serde_json::Value;

use crate::console;

/// A form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogForm {
    /// The lines and metrics of a deployed function.
    Json,
    /// A short line for each request, warning and error.
    Text,
}

impl LogForm {
    /// Returns the form for standard output: text on a terminal.
    pub(crate) fn of_output() -> Self {
        if io::stdout().is_terminal() {
            Self::Text
        } else {
            Self::Json
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "text" => Some(Self::Text),
            _ => None,
        }
    }
}

/// Writes the functions' JSON lines as lines for people. Each write is one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLog;

impl Write for TextLog {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = serde_json::from_slice(line)
            .ok()
            .and_then(|line| text(&line));
        if let Some(text) = text {
            console::say(&text);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the line for people. None for a function's notes on its own work.
fn text(line: &Value) -> Option<String> {
    let member = |name: &str| line[name].as_str().unwrap_or_default();
    let time = member("timestamp").get(11..19)?;
    let cause = line["cause"]
        .as_str()
        .map(|cause| format!(": {cause}"));
    let cause = cause.unwrap_or_default();
    if let Some(status) = line["status"].as_u64() {
        let method = member("method");
        let route = member("route");
        let millis = &line["durationMs"];
        let caller = match &line["userId"] {
            Value::Null => String::new(),
            user => format!("  user {user}"),
        };
        return Some(format!(
            "{time} {method:6} {route:50} {status} {millis:>5} ms{caller}{cause}"
        ));
    }
    let level = member("level");
    let is_problem = matches!(level, "WARN" | "ERROR");
    let function = member("function");
    let message = member("message");
    is_problem.then(|| format!("{time} {level} {function}: {message}{cause}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_a_short_line() {
        let line = json!({
            "timestamp": "2026-11-28T23:16:35.765544Z", "level": "INFO", "function": "tasks",
            "method": "GET", "route": "/api/tasks", "status": 200, "durationMs": 24, "userId": 2,
        });
        let shown = text(&line).unwrap();
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert_eq!(
            words,
            [
                "23:16:35",
                "GET",
                "/api/tasks",
                "200",
                "24",
                "ms",
                "user",
                "2"
            ]
        );
    }

    #[test]
    fn a_failure_has_its_cause() {
        let line = json!({
            "timestamp": "2026-11-28T23:16:35.765544Z", "level": "ERROR", "function": "tasks",
            "method": "GET", "route": "/api/tasks", "status": 503, "durationMs": 24,
            "cause": "no answer of the table",
        });
        assert!(
            text(&line)
                .unwrap()
                .ends_with("ms: no answer of the table")
        );
    }

    #[test]
    fn only_warnings_and_errors_are_shown_of_other_work() {
        let mut line = json!({
            "timestamp": "2026-11-28T23:16:35.765544Z", "level": "INFO", "function": "publisher",
            "changes": 3,
        });
        assert_eq!(text(&line), None);
        line["level"] = json!("WARN");
        line["message"] = json!("an item does not read");
        let shown = text(&line).unwrap();
        assert_eq!(shown, "23:16:35 WARN publisher: an item does not read");
    }
}
