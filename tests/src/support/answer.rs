//! Answers, and what tests say of them.

use std::io::Read;

use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::read::GzDecoder;
use serde::Serialize;
use serde_json::{Value, json};

/// The most bytes of a function's answer: 6 MB.
const MOST_BYTES: usize = 6 * 1024 * 1024;

/// An answer as a client gets it.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    headers: Value,
    cookies: Vec<String>,
    pub text: String,
    /// Bytes of the body as it is sent, compressed or not.
    pub bytes: u32,
}

impl Answer {
    /// From what the function answered to the gateway.
    pub fn from_lambda(response: &Value) -> Self {
        let bytes = response.to_string().len();
        assert!(bytes < MOST_BYTES, "an answer of {bytes} bytes");
        let body = response["body"]
            .as_str()
            .unwrap_or_default();
        let mut bytes = body.len();
        let text = if response["isBase64Encoded"] == json!(true) {
            let packed = BASE64_STANDARD.decode(body).unwrap();
            bytes = packed.len();
            match response["headers"]["content-encoding"].as_str() {
                Some("gzip") => unpacked(&packed),
                // What is no text to `lambda_http`, such as NDJSON.
                _ => String::from_utf8(packed).unwrap(),
            }
        } else {
            body.to_owned()
        };
        let cookies = response["cookies"]
            .as_array()
            .into_iter()
            .flatten();
        let cookies = cookies.map(|cookie| cookie.as_str().unwrap().to_owned());
        Self {
            status: response["statusCode"]
                .as_u64()
                .unwrap()
                .try_into()
                .unwrap(),
            headers: response["headers"].clone(),
            cookies: cookies.collect(),
            text,
            bytes: bytes.try_into().unwrap(),
        }
    }

    /// The gateway's own answer for a path without a route.
    pub fn not_routed() -> Self {
        Self::of_gateway(404, "Not Found")
    }

    /// An answer of the gateway itself.
    pub fn of_gateway(status: u16, message: &str) -> Self {
        let text = json!({"message": message}).to_string();
        Self {
            status,
            headers: json!({}),
            cookies: Vec::new(),
            bytes: text.len().try_into().unwrap(),
            text,
        }
    }

    /// Asserts the status and answers the body, null when there is none.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.check_headers();
        if status >= 400 {
            self.check_problem();
        }
        if self.is_lines() {
            Value::Array(self.lines())
        } else if self.text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&self.text).unwrap()
        }
    }

    /// Asserts a success, and returns the body, null when there is none.
    #[track_caller]
    pub fn succeeds(&self) -> Value {
        assert!((200..300).contains(&self.status), "{}", self.text);
        self.expect(self.status)
    }

    /// Returns whether each line of it is JSON.
    pub fn is_lines(&self) -> bool {
        self.header("content-type") == Some("application/x-ndjson")
    }

    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let lines = self
            .text
            .lines()
            .map(serde_json::from_str);
        lines.map(Result::unwrap).collect()
    }

    /// Asserts a problem of this status and code.
    #[track_caller]
    pub fn expect_problem(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{body}");
        body
    }

    #[track_caller]
    pub fn expect_not_found(&self) -> Value {
        self.expect_problem(404, "not_found")
    }

    /// Asserts that the caller lacks a permission.
    #[track_caller]
    pub fn expect_denied(&self) -> Value {
        self.expect_problem(403, "permission_denied")
    }

    /// Asserts a validation error with exactly these faults, as (pointer, code).
    #[track_caller]
    pub fn expect_faults(&self, faults: &[(&str, &str)]) {
        let body = self.expect_problem(400, "validation_error");
        let actual = body["errors"]
            .as_array()
            .unwrap()
            .iter();
        let actual =
            actual.map(|fault| ["pointer", "code"].map(|name| fault[name].as_str().unwrap()));
        let mut actual: Vec<_> = actual
            .map(|[pointer, code]| (pointer, code))
            .collect();
        let mut expected = faults.to_vec();
        actual.sort_unstable();
        expected.sort_unstable();
        assert_eq!(actual, expected, "{body}");
    }

    /// The ids of a list.
    #[track_caller]
    pub fn ids(&self) -> Vec<i64> {
        ids(self.expect(200).as_array().unwrap())
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers[name].as_str()
    }

    /// The path and query of the next page, if the answer links one.
    #[track_caller]
    pub fn next(&self) -> Option<&str> {
        let link = self.header("link")?;
        let url = link.strip_prefix('<').unwrap();
        let url = url
            .strip_suffix(">; rel=\"next\"")
            .unwrap();
        let path = url.strip_prefix("https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com");
        Some(path.unwrap_or_else(|| panic!("{url}")))
    }

    /// Every header as (name in lower case, value), among them one `set-cookie` for each cookie.
    pub fn headers(&self) -> Vec<(String, String)> {
        let headers = self
            .headers
            .as_object()
            .into_iter()
            .flatten();
        let headers = headers.map(|(name, value)| {
            let value = value.as_str().unwrap().to_owned();
            (name.to_ascii_lowercase(), value)
        });
        let cookies = self.cookies.iter();
        let cookies = cookies.map(|cookie| ("set-cookie".to_owned(), cookie.clone()));
        headers.chain(cookies).collect()
    }

    /// The cookie of the session that the answer begins, as a request has it.
    #[track_caller]
    pub fn session(&self) -> &str {
        // The last one, which each gateway keeps.
        let (cookie, _) = self
            .cookies
            .last()
            .unwrap()
            .split_once("; ")
            .unwrap();
        assert!(cookie.starts_with("connect.sid=s%3A"), "{cookie}");
        cookie
    }

    /// The cookies that the answer sets, with their attributes.
    pub fn cookies(&self) -> &[String] {
        &self.cookies
    }

    /// The one cookie that the answer sets; of several, `cargo lambda watch` would lose all but
    /// the last.
    #[track_caller]
    pub fn cookie(&self) -> &str {
        let [cookie] = self.cookies.as_slice() else {
            panic!("expected one cookie, not {:?}", self.cookies);
        };
        cookie
    }

    #[track_caller]
    pub fn check_headers(&self) {
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert!(
            self.header("x-request-id")
                .is_some_and(|id| !id.is_empty())
        );
    }

    #[track_caller]
    fn check_problem(&self) {
        let content_type = self.header("content-type");
        assert_eq!(content_type, Some("application/problem+json"));
        let body: Value = serde_json::from_str(&self.text).unwrap();
        assert_eq!(body["status"], self.status, "{body}");
        // RFC 9110: a 401 says what it asks for, and nothing else does.
        let challenge = (self.status == 401).then_some("Bearer realm=\"workdesk\"");
        assert_eq!(self.header("www-authenticate"), challenge, "{body}");
        assert_eq!(body["message"], body["detail"], "{body}");
        for member in ["type", "title", "detail", "instance", "code", "requestId"] {
            let text = body[member]
                .as_str()
                .unwrap_or_default();
            assert!(!text.is_empty(), "{member}: {body}");
        }
    }
}

/// A body as a gateway decodes it and a browser unpacks it.
fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    let mut decoder = GzDecoder::new(packed);
    decoder
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// Asserts that a value has these members. A name that begins with `/` is a JSON pointer; an absent
/// member is null.
#[macro_export]
macro_rules! shows {
    ($value:expr, $members:tt) => {
        $crate::support::shows_members(&$value, &serde_json::json!($members))
    };
}

/// Asserts that an answer is a problem of this status and code, or names exactly these faults.
#[macro_export]
macro_rules! refused {
    ($answer:expr => [$($fault:tt)*]) => {
        $answer.expect_faults(&[$($fault)*])
    };
    ($answer:expr => $status:expr, $code:expr) => {
        $answer.expect_problem($status, $code)
    };
}

#[track_caller]
pub fn shows_members<T: Serialize + ?Sized>(value: &T, members: &Value) {
    let value = json!(value);
    for (name, expected) in members.as_object().unwrap() {
        let actual = if name.starts_with('/') {
            value
                .pointer(name)
                .unwrap_or(&Value::Null)
        } else {
            &value[name]
        };
        assert_eq!(actual, expected, "{name} of {value}");
    }
}

/// Asserts that a text says this somewhere.
#[track_caller]
/// The checks of a result for a purpose; null if there are none.
pub fn check_of<'a>(result: &'a Value, purpose: &str) -> &'a Value {
    let mut checks = result["checks"]
        .as_array()
        .into_iter()
        .flatten();
    let check = checks.find(|check| check["purpose"] == purpose);
    check.unwrap_or(&Value::Null)
}

pub fn says(text: &Value, part: &str) {
    assert!(text.as_str().unwrap().contains(part), "{part}: {text}");
}

/// Asserts that a text begins with this.
#[track_caller]
pub fn begins(text: &Value, part: &str) {
    assert!(text.as_str().unwrap().starts_with(part), "{part}: {text}");
}

/// The ids of rows.
#[track_caller]
pub fn ids(rows: &[Value]) -> Vec<i64> {
    rows.iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect()
}

/// One member of each row.
pub fn column<'a>(rows: impl IntoIterator<Item = &'a Value>, name: &str) -> Vec<&'a Value> {
    rows.into_iter()
        .map(|row| &row[name])
        .collect()
}

/// The rows of which a member has a value.
pub fn rows_where<'a>(rows: &'a [Value], name: &str, value: &str) -> Vec<&'a Value> {
    rows.iter()
        .filter(|row| row[name] == value)
        .collect()
}

/// The sorted statuses of answers to requests that were sent at once.
pub fn statuses<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> Vec<u16> {
    let mut statuses: Vec<_> = answers
        .into_iter()
        .map(|answer| answer.status)
        .collect();
    statuses.sort_unstable();
    statuses
}

/// The record as it is after one write more.
pub fn raise_version(record: &mut Value) {
    record["version"] = json!(record["version"].as_i64().unwrap() + 1);
}
