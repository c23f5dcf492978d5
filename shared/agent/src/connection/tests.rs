mod traffic;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use model::base::{Id, SealedSecret, input, span};
use serde_json::{Value, json};

use crate::connection::ApiCall;

use super::*;

fn now() -> Timestamp {
    "2026-01-15T12:00:00Z".parse().unwrap()
}

fn put(more: &Value) -> ConnectionPut {
    input::from_value(&sent(more)).unwrap()
}

fn sent(more: &Value) -> Value {
    let mut sent = json!({
        "kind": "billing", "baseUrl": "https://billing.example.com/api", "secret": "hush",
        "amounts": "minor", "idempotency": {"in": "header", "name": "Idempotency-Key"},
        "allow": ["POST /usage-batches/{id}/reprocess", "GET /customers/{id}", "GET /balance"],
    });
    for (name, value) in more.as_object().unwrap() {
        sent[name] = value.clone();
    }
    sent
}

fn connection(more: &Value) -> Connection {
    let tenant = OrganizationId::new(1).unwrap();
    let connection = Connection::new(tenant, Slug::new("billing").unwrap(), put(more), now());
    Connection {
        secret: Some(sealed("c2VhbGVk", now())),
        ..connection
    }
}

fn sealed(ciphertext: &str, set_at: Timestamp) -> SealedSecret {
    SealedSecret {
        ciphertext: ciphertext.to_owned(),
        set_at,
    }
}

fn faults(more: &Value) -> Vec<(String, FaultCode)> {
    let faults = input::from_value::<ConnectionPut>(&sent(more)).unwrap_err();
    let faults = faults.into_iter();
    faults
        .map(|fault| (fault.pointer, fault.code))
        .collect()
}

/// A body has this fault alone.
#[track_caller]
fn assert_fault(more: &Value, pointer: &str, code: FaultCode) {
    assert_eq!(faults(more), [(pointer.to_owned(), code)], "{more}");
}

#[test]
fn only_listed_methods_and_paths_are_allowed() {
    let connection = connection(&json!({}));
    assert!(connection.allows("POST", "/usage-batches/ub_1/reprocess"));
    assert!(connection.allows("GET", "/customers/a%20b"));
    for id in " .. %2e%2E . a%2Fb a%5cb a%252fb a%00b a%0 a%+1 a?b a#b a\\b ä".split(' ') {
        let path = format!("/usage-batches/{id}/reprocess");
        assert!(!connection.allows("POST", &path), "{path}");
    }
    for (method, path) in [
        ("GET", "/usage-batches/ub_1/reprocess"),
        ("POST", "/usage-batches/ub_1"),
        ("POST", "/usage-batches/ub_1/reprocess/"),
        ("POST", "/usage-batches/ub_1/reprocess?all=1"),
        ("POST", "usage-batches/ub_1/reprocess"),
        ("post", "/usage-batches/ub_1/reprocess"),
        ("GET", "//evil.example/customers/1"),
    ] {
        assert!(!connection.allows(method, path), "{method} {path}");
    }
}

#[test]
fn calls_that_are_none_are_not_listed() {
    for call in [
        "SEND /x",
        "GET x",
        "GET",
        "GET /x/../y",
        "GET /x?y",
        "GET /{}",
        "GET /a b",
    ] {
        assert_fault(&json!({"allow": [call]}), "/allow/0", FaultCode::Pattern);
    }
}

#[test]
fn reads_lag_behind_for_at_most_a_week() {
    for (sent, millis) in [
        ("1m", span::MINUTE),
        ("168h", 7 * span::DAY),
        ("7d", 7 * span::DAY),
    ] {
        let connection = connection(&json!({"settlesWithin": sent}));
        assert_eq!(connection.settles_within.millis(), millis);
    }
    for sent in ["8d", "169h", "0m", "15", "15s"] {
        let put = json!({"settlesWithin": sent});
        assert_fault(&put, "/settlesWithin", FaultCode::Pattern);
    }
    // The system that lags most counts. Without one, the default does.
    let connections = ["2h", "1m"].map(|within| connection(&json!({"settlesWithin": within})));
    assert_eq!(Connection::settling_time(&connections), 2 * span::HOUR);
    assert_eq!(Connection::settling_time(&[]), 15 * span::MINUTE);
    // A record of an earlier release has none. A change raises no revision.
    let mut stored = json!(connections[0]);
    stored
        .as_object_mut()
        .unwrap()
        .remove("settlesWithin");
    let read: Connection = serde_json::from_value(stored).unwrap();
    assert_eq!(&*read.settles_within, "15m");
    assert!(read.calls_as(&connections[0]));
}

#[test]
fn a_base_url_is_an_address_of_the_public_internet() {
    assert_fault(
        &json!({"baseUrl": "ftp://x.example"}),
        "/baseUrl",
        FaultCode::Pattern,
    );
    let not_public = |url: &str| put(&json!({ "baseUrl": url })).not_public();
    assert_eq!(not_public("https://api.example.com"), None);
    assert_eq!(
        not_public("https://127.0.0.1")
            .unwrap()
            .pointer,
        "/baseUrl"
    );
}

#[test]
fn a_scheme_has_what_belongs_to_it() {
    for (auth, field) in [
        (json!({"scheme": "bearer", "username": "a"}), "username"),
        (json!({"scheme": "header"}), "header"),
        (json!({"scheme": "basic", "header": "X-Key"}), "header"),
        (json!({"scheme": "header", "header": "Host"}), "header"),
    ] {
        let field = format!("/auth/{field}");
        assert_fault(&json!({ "auth": auth }), &field, FaultCode::Combination);
    }
    put(&json!({"auth": {"scheme": "basic"}}));
    put(&json!({"auth": {"scheme": "header", "header": "X-Key"}}));
}

#[test]
fn headers_are_not_those_of_another() {
    let header = |name: &str| json!({"headers": [{"name": name, "value": "x"}]});
    for name in [
        "authorization",
        "Cookie",
        "Content-Type",
        "HOST",
        "idempotency-key",
    ] {
        assert_fault(&header(name), "/headers/0/name", FaultCode::Combination);
    }
    let mut both = header("X-Key");
    both["auth"] = json!({"scheme": "header", "header": "x-key"});
    assert_fault(&both, "/headers/0/name", FaultCode::Combination);
    let twice = json!({"headers": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]});
    assert_fault(&twice, "/headers/1/name", FaultCode::Repeated);
    let key = json!({"idempotency": {"in": "header", "name": "Content-Type"}});
    assert_fault(&key, "/idempotency/name", FaultCode::Combination);
    let split = json!({"headers": [{"name": "A", "value": "1\r\nB: 2"}]});
    assert_fault(&split, "/headers/0/value", FaultCode::Pattern);
}

#[test]
fn a_test_calls_what_is_allowed() {
    assert_fault(
        &json!({"testPath": "/elsewhere"}),
        "/testPath",
        FaultCode::Combination,
    );
    let tested = connection(&json!({"testPath": "/customers/cus_1"}));
    assert_eq!(tested.tested_path(), Some("/customers/cus_1"));
    assert_eq!(connection(&json!({})).tested_path(), Some("/balance"));
    let untested = connection(&json!({"allow": ["POST /x"]}));
    assert_eq!(untested.tested_path(), None);
}

#[test]
fn only_a_system_with_a_place_for_keys_honours_them() {
    assert_eq!(connection(&json!({})).idempotency(), Idempotency::Keyed);
    let unkeyed = connection(&json!({"idempotency": null}));
    assert_eq!(unkeyed.idempotency(), Idempotency::Unkeyed);
}

#[test]
fn an_answer_is_a_replay_as_far_as_its_system_replays() {
    let keys = json!({
        "in": "header", "name": "Idempotency-Key", "replays": "all",
        "replayedHeader": "Idempotent-Replayed",
    });
    let replaying = connection(&json!({ "idempotency": keys }));
    for (value, expected) in [(Some("true"), true), (Some("False"), false), (None, false)] {
        assert_eq!(replaying.is_replay(value), expected, "{value:?}");
    }
    // Stored under the old name.
    let stored: Replays = serde_json::from_value(json!("successes")).unwrap();
    assert_eq!(stored, Replays::All);
    let no_replays = json!({
        "in": "body", "name": "key", "replays": "none", "replayedHeader": "Idempotent-Replayed",
    });
    let sent = json!({ "idempotency": no_replays });
    assert_fault(&sent, "/idempotency/replayedHeader", FaultCode::Combination);
}

/// The connection that is put under the name of another, a millisecond later.
fn again(before: &Connection, more: &Value, secret: Patch<SealedSecret>) -> Connection {
    let mut new = Connection::new(
        before.organization_id,
        before.name.clone(),
        put(more),
        now().plus(1),
    );
    new.secret.clone_from(&before.secret);
    secret.apply(&mut new.secret);
    new
}

#[test]
fn another_account_is_another_revision() {
    let of = |account: Option<&str>| Connection {
        account: account.map(str::to_owned),
        ..connection(&json!({}))
    };
    for (before, after, raised) in [
        (Some("acct_1"), Some("acct_1"), false),
        (Some("acct_1"), Some("acct_2"), true),
        (Some("acct_1"), None, true),
        (None, Some("acct_1"), true),
    ] {
        let mut connection = of(before);
        connection.replace(of(after));
        assert_eq!(connection.revision, now().millis() + i64::from(raised));
        assert_eq!(connection.as_now().account.as_deref(), after);
    }
    let of_before = json!({"name": "billing", "revision": 7});
    let stored: ConnectionRevision = serde_json::from_value(of_before.clone()).unwrap();
    assert_eq!(json!(stored), of_before);
}

#[test]
fn a_kind_is_one_of_the_list() {
    let sent = sent(&json!({"kind": "demo"}));
    let [fault] = input::from_value::<ConnectionPut>(&sent)
        .unwrap_err()
        .try_into()
        .unwrap();
    assert_eq!((&*fault.pointer, fault.code), ("/kind", FaultCode::Value));
    let kinds = "billing, payments, notifications, stripe, lago, chargebee, other";
    assert!(
        fault
            .detail
            .ends_with(&format!("Send one of: {kinds}.")),
        "{}",
        fault.detail
    );
}

#[test]
fn a_system_of_any_unit_says_how_it_writes_amounts() {
    for (kind, unsaid) in [
        ("other", None),
        ("billing", Some(Amounts::Minor)),
        ("payments", Some(Amounts::Minor)),
    ] {
        let of = |allow: Value| json!({"kind": kind, "amounts": null, "allow": allow});
        let writes = of(json!(["GET /balance", "POST /pay"]));
        assert_fault(&writes, "/amounts", FaultCode::Required);
        let mut says = writes;
        says["amounts"] = json!("main");
        assert_eq!(connection(&says).amounts(), Some(Amounts::Main));
        let reads_only = of(json!(["GET /balance"]));
        assert_eq!(connection(&reads_only).amounts(), unsaid);
    }
    let stripe = connection(&json!({"kind": "stripe", "amounts": null}));
    assert_eq!(stripe.amounts(), Some(Amounts::Minor));
    assert_fault(&json!({"amounts": "cents"}), "/amounts", FaultCode::Value);
}

#[test]
fn partners_are_names_by_their_kinds() {
    let with = |partners: Value| json!({ "partners": partners });
    for (partners, pointer, code) in [
        (json!({"crm": "crm"}), "/partners/crm", FaultCode::Value),
        (json!({"other": "crm"}), "/partners/other", FaultCode::Value),
        (
            json!({"payments": "Not A Name"}),
            "/partners/payments",
            FaultCode::Pattern,
        ),
        (
            json!({"payments": null}),
            "/partners/payments",
            FaultCode::Null,
        ),
        (json!(["payments"]), "/partners", FaultCode::Type),
    ] {
        let refused = faults(&with(partners.clone()));
        assert_eq!(refused, [(pointer.to_owned(), code)], "{partners}");
    }
    let named = put(&with(
        json!({"payments": "stripe_eu", "notifications": "mails"}),
    ));
    let payments = Connection {
        name: Slug::new("stripe_eu").unwrap(),
        ..connection(&json!({"kind": "payments"}))
    };
    let mails = Connection {
        name: Slug::new("mails").unwrap(),
        ..connection(&json!({"kind": "billing"}))
    };
    let fault = |others: &[&Connection]| {
        let partners = named.partners.as_ref().unwrap();
        let fault = partners.fault(&Slug::new("billing_eu").unwrap(), others);
        fault.map(|fault| (fault.pointer, fault.code))
    };
    let at = |kind: &str, code| Some((format!("/partners/{kind}"), code));
    assert_eq!(fault(&[]), at("payments", FaultCode::Unknown));
    assert_eq!(fault(&[&payments]), at("notifications", FaultCode::Unknown));
    assert_eq!(
        fault(&[&payments, &mails]),
        at("notifications", FaultCode::Combination)
    );
    let mails = Connection {
        kind: SystemKind::Notifications.into(),
        ..mails
    };
    assert_eq!(fault(&[&payments, &mails]), None);
    let own = named.partners.as_ref().unwrap();
    let fault = own
        .fault(&payments.name, &[&payments, &mails])
        .unwrap();
    assert_eq!(fault.detail, "A connection is no partner of itself.");
}

#[test]
fn the_revision_rises_with_what_a_call_looks_like() {
    let later = now().plus(1);
    for (more, raised) in [
        (json!({}), false),
        (json!({"kind": "payments"}), true),
        (json!({"amounts": "minor"}), false),
        (json!({"amounts": "main"}), true),
        (json!({"partners": {"payments": "stripe_eu"}}), false),
        (
            json!({"identity": {"path": "/balance", "at": ["/id"]}}),
            true,
        ),
        (json!({"keep": ["state"]}), false),
        (json!({"allow": []}), false),
        (json!({"baseUrl": "https://other.example.com"}), true),
        (json!({"auth": {"scheme": "basic"}}), true),
        (json!({"headers": [{"name": "X-A", "value": "b"}]}), true),
        (json!({"body": "form"}), true),
        (json!({"idempotency": null}), true),
        (json!({"errorCode": "/error/code"}), true),
    ] {
        let mut connection = connection(&json!({}));
        connection.paused = true;
        connection.replace(again(&connection, &more, Patch::Keep));
        assert_eq!(
            connection.revision,
            now().millis() + i64::from(raised),
            "{more}"
        );
        assert!(
            connection.paused && connection.created_at == now() && connection.updated_at == later
        );
    }
}

#[test]
fn a_secret_is_kept_replaced_or_removed_and_only_its_absence_is_a_revision() {
    let later = now().plus(1);
    let newer = sealed("bmV3ZXI=", later);
    let old = connection(&json!({})).secret;
    for (change, expected, raised) in [
        (Patch::Keep, old, false),
        (Patch::Set(Some(newer.clone())), Some(newer), false),
        (Patch::Set(None), None, true),
    ] {
        let mut connection = connection(&json!({}));
        connection.replace(again(&connection, &json!({}), change));
        assert_eq!(connection.secret, expected);
        assert_eq!(connection.revision, now().millis() + i64::from(raised));
    }
}

#[test]
fn another_base_url_takes_its_secret_again() {
    let elsewhere = "https://billing.example.com/api/v2";
    let with = |secret: Option<Value>| {
        let mut sent = sent(&json!({ "baseUrl": elsewhere }));
        sent.as_object_mut()
            .unwrap()
            .remove("secret");
        if let Some(secret) = secret {
            sent["secret"] = secret;
        }
        input::from_value::<ConnectionPut>(&sent).unwrap()
    };
    let before = connection(&json!({}));
    let fault = with(None)
        .lacks_secret(&before)
        .unwrap();
    assert_eq!(&*fault.pointer, "/secret");
    assert_eq!(fault.code, FaultCode::Required);
    for sent in [json!("hush"), Value::Null] {
        assert_eq!(with(Some(sent)).lacks_secret(&before), None);
    }
    let there = connection(&json!({ "baseUrl": elsewhere }));
    assert_eq!(with(None).lacks_secret(&there), None);
    let mut open = before;
    open.secret = None;
    assert_eq!(with(None).lacks_secret(&open), None);
}

#[test]
fn a_secret_is_one_line_of_ascii_and_shows_nothing() {
    for (secret, code) in [
        (json!(""), FaultCode::Length),
        (json!("x".repeat(4_097)), FaultCode::Length),
        (json!("two\nlines"), FaultCode::Pattern),
        (json!("pasted "), FaultCode::Pattern),
        (json!("pässword"), FaultCode::Pattern),
        (json!(17), FaultCode::Type),
    ] {
        assert_fault(&json!({ "secret": secret }), "/secret", code);
    }
    let longest = "x".repeat(4_096);
    let put = put(&json!({ "secret": longest }));
    assert!(!format!("{put:?}").contains("xxx"));
    let sent = put.secret.value().unwrap();
    assert_eq!(secrecy::ExposeSecret::expose_secret(sent), longest);
}

#[test]
fn only_named_members_are_kept() {
    let keep = connection(&json!({"keep": ["id", "note", "tags", "card", "pin"]})).keep;
    let answer = json!({
        "id": "cus_1", "email": "a@b.example",
        "list": [{"card": {"number": 4}, "note": "key hush-hush is wrong"}, {"name": "Ann"}],
        "tags": ["late", {"by": "Ann"}], "pin": 4711, "nested": {"name": "Ann"},
    });
    let answer = redacted(answer, &["hush-hush", "4711", ""]);
    let expected = json!({
        "id": "cus_1", "list": [{"note": "key … is wrong"}], "tags": ["late"], "pin": "…",
    });
    assert_eq!(kept(answer.clone(), &keep), expected);
    assert_eq!(kept(answer, &[]), Value::Null);
    assert_eq!(kept(json!("email: a@b"), &keep), Value::Null);
    let name = redacted(json!({"of hush": 12}), &["hush"]);
    assert_eq!(name, json!({"of …": 12}));
}

#[test]
fn a_secret_is_hidden_in_every_encoding() {
    let secret = "Sk_live+4/2 hush-hush~";
    let standard = |text: &str| STANDARD.encode(text);
    for echo in [
        secret.to_ascii_uppercase(),
        secret.to_ascii_lowercase(),
        standard(secret),
        URL_SAFE_NO_PAD.encode(secret),
        standard(&format!("user:{secret}")),
        standard(&format!("a{secret}b")),
        standard(&format!("ab{secret}")),
        format!("Basic {}", standard(secret).replace('=', "%3D")),
        "Sk_live%2B4%2F2%20hush-hush~".to_owned(),
        "sk_live%2b4%2f2+hush-hush%7e".to_owned(),
        hex::encode(secret),
    ] {
        let told = format!("key {echo} is wrong");
        let shown = redacted(json!({"note": told}), &[secret]);
        assert_eq!(shown, json!({"note": "…"}), "{told}");
    }
    // Only the secret itself is taken out of a text that has it as it is.
    let shown = redacted(json!(format!("key {secret} is wrong")), &[secret]);
    assert_eq!(shown, json!("key … is wrong"));
    // Encodings of a short secret stand in other texts by chance.
    for other in ["USD", "dXNk", "a%20b", "5,000.00+USD"] {
        assert_eq!(redacted(json!(other), &["usd"]), json!(other));
        assert_eq!(redacted(json!(other), &[secret]), json!(other));
    }
}

#[test]
fn a_key_never_overwrites_what_was_approved() {
    let call = |method: &str| ApiCall {
        method: method.into(),
        path: "/credit-notes".into(),
        body: serde_json::from_value(json!(json!({"amount": 10_000}).to_string())).unwrap(),
        ..ApiCall::get("/")
    };
    let keys =
        |place: &str, name: &str| connection(&json!({"idempotency": {"in": place, "name": name}}));
    for (place, name, is_taken) in [
        ("body", "amount", true),
        // Some systems read names without regard to case.
        ("body", "Amount", true),
        ("body", "key", false),
        ("header", "amount", false),
        ("query", "amount", false),
    ] {
        let why = keys(place, name).key_taken(&call("POST"));
        assert_eq!(why.is_some(), is_taken, "{name} in {place}");
    }
    assert_eq!(keys("body", "amount").key_taken(&call("GET")), None);
}

#[test]
fn a_code_stands_where_the_pointer_says() {
    let code = |pointer: &str| connection(&json!({ "errorCode": pointer })).error_code;
    let answer = json!({"code": "a", "error": {"a/b": [{"code": 17}]}, "flag": true});
    assert_eq!(
        ErrorCode::default()
            .of(&answer)
            .as_deref(),
        Some("a")
    );
    let nested = code("/error/a~1b/0/code");
    assert_eq!(nested.of(&answer).as_deref(), Some("17"));
    assert_eq!(code("/flag").of(&answer), None);
    assert_eq!(code("/error/none").of(&answer), None);
    for wrong in ["code", "/a~2", "/a~"] {
        assert_fault(
            &json!({ "errorCode": wrong }),
            "/errorCode",
            FaultCode::Pattern,
        );
    }
}
