//! The embedded key management service: one key, and the two operations that Workdesk calls.
//!
//! A ciphertext belongs to its encryption context, as on AWS. Signatures are not checked.

use std::{collections::BTreeMap, sync::Arc};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::random;

use crate::background::{Background, listen};

use super::error::EngineError;

/// ARN of the key.
pub const KEY: &str = "arn:aws:kms:us-east-1:000000000000:key/local";

/// The most bytes of a plaintext.
const MOST: usize = 4_096;

/// Starts the service with its key on a free port. Returns its URL and server.
pub(super) fn start(key: &[u8; 32]) -> Result<(String, Background), EngineError> {
    let io = |source| EngineError::Io {
        what: "the key management service".to_owned(),
        source,
    };
    let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| EngineError::Request {
        what: "the key management service".to_owned(),
        problem: "the key does not fit".to_owned(),
    })?;
    let (listener, address) = listen(0).map_err(io)?;
    let key = Arc::new(LessSafeKey::new(key));
    let routes = Router::new()
        .fallback(respond)
        .with_state(key);
    let server = Background::http("kms", listener, routes).map_err(io)?;
    Ok((format!("http://{address}"), server))
}

/// The members of a request that are used.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Request {
    key_id: Option<String>,
    plaintext: String,
    ciphertext_blob: String,
    encryption_context: BTreeMap<String, String>,
}

async fn respond(State(key): State<Arc<LessSafeKey>>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers
        .get("x-amz-target")
        .and_then(|value| value.to_str().ok());
    let answer = match (target, serde_json::from_slice::<Request>(&body)) {
        (Some("TrentService.Encrypt"), Ok(request)) => encrypt(&key, &request),
        (Some("TrentService.Decrypt"), Ok(request)) => decrypt(&key, &request),
        (_, Err(_)) => Err("SerializationException"),
        _ => Err("UnknownOperationException"),
    };
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(code) => (StatusCode::BAD_REQUEST, Json(json!({ "__type": code }))).into_response(),
    }
}

fn encrypt(key: &LessSafeKey, request: &Request) -> Result<Value, &'static str> {
    if request.key_id.as_deref() != Some(KEY) {
        return Err("NotFoundException");
    }
    let mut text = decoded(&request.plaintext)?;
    if !(1..=MOST).contains(&text.len()) {
        return Err("ValidationException");
    }
    let nonce = random::bytes::<NONCE_LEN>();
    let sealed = key.seal_in_place_append_tag(
        Nonce::assume_unique_for_key(nonce),
        context(request),
        &mut text,
    );
    sealed.map_err(|_| "KMSInternalException")?;
    let ciphertext = BASE64_STANDARD.encode([&nonce[..], &text].concat());
    Ok(json!({"KeyId": KEY, "CiphertextBlob": ciphertext}))
}

fn decrypt(key: &LessSafeKey, request: &Request) -> Result<Value, &'static str> {
    if request
        .key_id
        .as_deref()
        .is_some_and(|key| key != KEY)
    {
        return Err("NotFoundException");
    }
    let wrong = "InvalidCiphertextException";
    let ciphertext = decoded(&request.ciphertext_blob)?;
    let (nonce, sealed) = ciphertext
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(wrong)?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let mut sealed = sealed.to_vec();
    let text = key.open_in_place(nonce, context(request), &mut sealed);
    let text = text.map_err(|_| wrong)?;
    Ok(json!({"KeyId": KEY, "Plaintext": BASE64_STANDARD.encode(text)}))
}

fn decoded(text: &str) -> Result<Vec<u8>, &'static str> {
    BASE64_STANDARD
        .decode(text)
        .map_err(|_| "SerializationException")
}

/// The encryption context as data that the ciphertext is authenticated with.
fn context(request: &Request) -> Aad<String> {
    Aad::from(json!(request.encryption_context).to_string())
}
