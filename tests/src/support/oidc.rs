//! A small OpenID Connect provider, whose tokens have faults on demand.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    },
};
use axum::{
    Json, Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::clock::Clock;

use crate::shows;

use super::{Answer, Api, Caller};

const SECRET: &str = "a secret of the client";

/// A provider on a port of its own.
#[derive(Clone)]
pub struct OidcProvider {
    pub issuer: String,
    desk: Arc<Mutex<Desk>>,
}

struct Desk {
    clock: Clock,
    issuer: String,
    key: SigningKey,
    kid: u32,
    /// Claims and token header by code, with the challenge and the nonce of the request.
    codes: BTreeMap<String, (Value, String, String)>,
    /// Claims of the user info, by access token.
    infos: BTreeMap<String, Value>,
    /// Requests of any kind.
    requests: usize,
    /// Times that the keys were read.
    keys_read: usize,
    /// True to answer 503.
    is_down: bool,
    /// Tokens name a key that the keys do not have.
    hides_key: bool,
    /// True to accept requests and answer none.
    hangs: bool,
    /// Members of the discovery document that differ. Null takes one away.
    discovery: Value,
    /// Further members of the token endpoint's answer.
    answer: Value,
    /// Codes that the token endpoint got, by issuer of the provider.
    codes_got: Vec<String>,
}

/// A key that signs tokens.
enum SigningKey {
    Es256(EcdsaKeyPair),
    Rs256(RsaKeyPair),
}

impl SigningKey {
    fn es256() -> Self {
        Self::Es256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    fn rs256() -> Self {
        Self::Rs256(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Es256(_) => "ES256",
            Self::Rs256(_) => "RS256",
        }
    }

    fn sign(&self, text: &str) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Es256(key) => key
                .sign(&random, text.as_bytes())
                .unwrap()
                .as_ref()
                .to_vec(),
            Self::Rs256(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                let padding = &RSA_PKCS1_SHA256;
                key.sign(padding, &random, text.as_bytes(), &mut signature)
                    .unwrap();
                signature
            }
        }
    }

    /// The public key, as a member of a key set.
    fn public(&self, kid: u32) -> Value {
        let part = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let key = match self {
            Self::Es256(key) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "x": part(&point[1..33]), "y": part(&point[33..])})
            }
            Self::Rs256(key) => {
                // RFC 8017, A.1.1: a sequence of the modulus, with a zero before it, and of the
                // exponent 65537.
                let der = key.public_key().as_ref();
                let modulus = &der[9..9 + 256];
                assert_eq!(der[9 + 256..], [2, 3, 1, 0, 1]);
                json!({"kty": "RSA", "n": part(modulus), "e": "AQAB"})
            }
        };
        let named = json!({"use": "sig", "alg": self.algorithm(), "kid": kid.to_string()});
        with(key, &named)
    }
}

fn with(mut value: Value, more: &Value) -> Value {
    for (name, more) in more.as_object().into_iter().flatten() {
        if more.is_null() {
            value
                .as_object_mut()
                .unwrap()
                .remove(name);
        } else {
            value[name] = more.clone();
        }
    }
    value
}

fn encoded(value: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(value.to_string())
}

/// Parameters of a query or a form.
fn parameters(text: &str) -> BTreeMap<String, String> {
    let decoded = |text: &str| {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8();
        decoded.unwrap().into_owned()
    };
    let pairs = text
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, value)| (decoded(name), decoded(value)));
    pairs.collect()
}

impl OidcProvider {
    pub async fn start(clock: &Clock) -> Self {
        Self::start_at(clock, "").await
    }

    /// A provider whose issuer has a path, such as `/application/o/workdesk/`.
    pub async fn start_at(clock: &Clock, path: &str) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let issuer = format!("http://{}{path}", listener.local_addr().unwrap());
        let desk = Arc::new(Mutex::new(Desk {
            clock: clock.clone(),
            issuer: issuer.clone(),
            key: SigningKey::es256(),
            kid: 1,
            codes: BTreeMap::new(),
            infos: BTreeMap::new(),
            requests: 0,
            keys_read: 0,
            is_down: false,
            hides_key: false,
            hangs: false,
            discovery: json!({}),
            answer: json!({}),
            codes_got: Vec::new(),
        }));
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/me", get(me))
            .layer(middleware::from_fn_with_state(desk.clone(), hanging))
            .with_state(desk.clone());
        let routes = match path.trim_end_matches('/') {
            "" => routes,
            path => Router::new().nest(path, routes),
        };
        tokio::spawn(async move {
            axum::serve(listener, routes)
                .await
                .unwrap();
        });
        Self { issuer, desk }
    }

    fn desk<T>(&self, act: impl FnOnce(&mut Desk) -> T) -> T {
        act(&mut self.desk.lock().unwrap())
    }

    /// The body of `PUT …/sign-in`, with further members.
    pub fn put(&self, more: &Value) -> Value {
        let put = json!({"issuer": self.issuer, "clientId": "workdesk", "clientSecret": SECRET});
        with(put, more)
    }

    /// The provider signs with a new key from now on.
    pub fn rotates(&self) {
        self.desk(|desk| {
            desk.key = SigningKey::es256();
            desk.kid += 1;
        });
    }

    /// The provider signs with RSA from now on, as most providers do.
    pub fn signs_with_rsa(&self) {
        self.desk(|desk| desk.key = SigningKey::rs256());
    }

    /// Tokens name a key beyond those that it shows.
    pub fn hides_its_key(&self) {
        self.desk(|desk| desk.hides_key = true);
    }

    pub fn is_down(&self, is_down: bool) {
        self.desk(|desk| desk.is_down = is_down);
    }

    /// The provider accepts requests and answers none.
    pub fn hangs(&self, hangs: bool) {
        self.desk(|desk| desk.hangs = hangs);
    }

    /// Its discovery document differs. Null takes a member away.
    pub fn describes(&self, members: Value) {
        self.desk(|desk| desk.discovery = members);
    }

    /// Its token endpoint answers with further members.
    pub fn answers(&self, members: Value) {
        self.desk(|desk| desk.answer = members);
    }

    /// The codes that its token endpoint got.
    pub fn codes_got(&self) -> Vec<String> {
        self.desk(|desk| desk.codes_got.clone())
    }

    /// The number of requests that it got.
    pub fn requests(&self) -> usize {
        self.desk(|desk| desk.requests)
    }

    /// Times that its keys were read.
    pub fn keys_read(&self) -> usize {
        self.desk(|desk| desk.keys_read)
    }

    /// The path by which the provider sends a user back from where the service sent them. `person`
    /// has claims of the token; `header` replaces members of its header, and `info` has the user
    /// info's claims, or its status.
    pub fn sends_back(&self, location: &str, person: &Value) -> String {
        let (page, query) = location.split_once('?').unwrap();
        let issuer = self.issuer.trim_end_matches('/');
        assert_eq!(page, format!("{issuer}/authorize"));
        let sent = parameters(query);
        shows!(sent, {"response_type": "code", "code_challenge_method": "S256"});
        let redirect = &sent["redirect_uri"];
        let callback = redirect
            .strip_prefix(super::webhooks::API_URL)
            .unwrap();
        assert!(
            callback.starts_with("/api/auth/oidc/callback"),
            "{redirect}"
        );
        assert!(
            sent["scope"]
                .split(' ')
                .any(|scope| scope == "openid")
        );
        let [state, challenge, nonce] =
            ["state", "code_challenge", "nonce"].map(|name| sent[name].clone());
        let code = format!("code-{state}");
        let request = (person.clone(), challenge, nonce);
        self.desk(|desk| desk.codes.insert(code.clone(), request));
        format!("{callback}?code={code}&state={state}&session_state=x")
    }

    /// A sign-in from the first request to the last answer.
    pub async fn signs_in(&self, caller: &Caller, person: Value) -> Answer {
        let path = "/api/auth/oidc?organization=1&return=/%23/tasks";
        self.signs_in_by(caller, path, person)
            .await
    }

    /// As [`signs_in`](Self::signs_in), begun at a path.
    pub async fn signs_in_by(&self, caller: &Caller, path: &str, person: Value) -> Answer {
        let (browser, back) = self.begins(caller, path, person).await;
        browser.get(&back).await
    }

    /// A browser with the state of a sign-in, and the path by which the provider sends it back.
    pub async fn begins(&self, caller: &Caller, path: &str, person: Value) -> (Caller, String) {
        let begun = caller.get(path).await;
        begun.expect(302);
        let back = self.sends_back(begun.header("location").unwrap(), &person);
        let state = begun
            .cookie()
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let cookies: Vec<_> = caller
            .cookie
            .iter()
            .cloned()
            .chain([state])
            .collect();
        (
            caller
                .clone()
                .with_cookie(cookies.join("; ")),
            back,
        )
    }

    /// Binds the account of a signed-in caller of organization 1 to a person. Returns the session
    /// that follows.
    pub async fn connects(&self, caller: &Caller, person: Value) -> Caller {
        let path = "/api/auth/oidc?organization=1&return=/%23/tasks&connect=true";
        let answer = self
            .signs_in_by(caller, path, person)
            .await;
        assert_eq!(answer.header("location"), Some("/#/tasks"));
        caller
            .clone()
            .with_cookie(answer.session())
    }
}

/// Holds a request back for as long as the provider hangs.
async fn hanging(State(desk): Shared, request: Request, next: Next) -> Response {
    let hangs = {
        let mut desk = desk.lock().unwrap();
        desk.requests += 1;
        desk.hangs
    };
    if hangs {
        std::future::pending::<()>().await;
    }
    next.run(request).await
}

type Shared = State<Arc<Mutex<Desk>>>;

async fn discovery(State(desk): Shared) -> Response {
    let desk = desk.lock().unwrap();
    if desk.is_down {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let issuer = desk.issuer.trim_end_matches('/');
    let document = json!({
        "issuer": desk.issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "userinfo_endpoint": format!("{issuer}/me"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [desk.key.algorithm()],
    });
    Json(with(document, &desk.discovery)).into_response()
}

async fn keys(State(desk): Shared) -> Json<Value> {
    let mut desk = desk.lock().unwrap();
    desk.keys_read += 1;
    let key = desk.key.public(desk.kid);
    Json(json!({"keys": [key]}))
}

async fn token(State(desk): Shared, headers: HeaderMap, body: String) -> Response {
    let form = parameters(&body);
    let mut desk = desk.lock().unwrap();
    desk.codes_got
        .push(form["code"].clone());
    let basic = BASE64_STANDARD.encode(format!("workdesk:{}", SECRET.replace(' ', "+")));
    assert_eq!(headers["authorization"], format!("Basic {basic}"));
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    // A code is of use once.
    let request = desk.codes.remove(&form["code"]);
    let Some((person, _, nonce)) = request.filter(|(_, sent, _)| *sent == challenge) else {
        let refused = json!({"error": "invalid_grant"});
        return (StatusCode::BAD_REQUEST, Json(refused)).into_response();
    };
    let now = desk.clock.now().epoch_seconds();
    let claims = json!({
        "iss": desk.issuer, "aud": "workdesk", "nonce": nonce, "iat": now, "exp": now + 300,
    });
    let mut claims = with(claims, &person);
    let members = claims.as_object_mut().unwrap();
    let info = members.remove("info");
    let header = members.remove("header");
    let header = header.unwrap_or_default();
    let kid = desk.kid.to_string();
    let kid = if desk.hides_key { "hidden" } else { &kid };
    let header = with(
        json!({"alg": desk.key.algorithm(), "typ": "JWT", "kid": kid}),
        &header,
    );
    let signed = format!("{}.{}", encoded(&header), encoded(&claims));
    let is_forged = header["forged"] == true;
    let key = if is_forged {
        &SigningKey::es256()
    } else {
        &desk.key
    };
    let signature = match header["alg"].as_str() {
        Some("none") => String::new(),
        _ => BASE64_URL_SAFE_NO_PAD.encode(key.sign(&signed)),
    };
    let access = format!("access-{}", form["code"]);
    let info = info.unwrap_or_else(|| json!({"sub": claims["sub"]}));
    desk.infos.insert(access.clone(), info);
    let tokens = json!({
        "access_token": access, "token_type": "Bearer", "id_token": format!("{signed}.{signature}"),
    });
    Json(with(tokens, &desk.answer)).into_response()
}

async fn me(State(desk): Shared, headers: HeaderMap) -> Response {
    let desk = desk.lock().unwrap();
    let access = headers["authorization"]
        .to_str()
        .unwrap();
    let token = access.strip_prefix("Bearer ");
    match token.and_then(|token| desk.infos.get(token)) {
        Some(Value::Number(status)) => {
            let status = u16::try_from(status.as_u64().unwrap()).unwrap();
            StatusCode::from_u16(status)
                .unwrap()
                .into_response()
        }
        Some(info) => Json(info.clone()).into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}

impl Api {
    /// A provider of organization 1, set by ada.
    pub async fn has_provider(&self, more: Value) -> OidcProvider {
        let provider = OidcProvider::start(&self.clock).await;
        self.sets_provider(&provider, more)
            .await;
        provider
    }

    pub async fn sets_provider(&self, provider: &OidcProvider, more: Value) {
        let ada = self.sign_in("ada").await;
        let path = "/api/organizations/1/sign-in";
        ada.puts(path, provider.put(&more))
            .await;
        self.counter.take();
    }
}
