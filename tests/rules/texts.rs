//! Texts as people and their keyboards write them: characters, names, passwords, order and words.

use serde_json::{Value, json};
use tests::support::{Api, Caller, creates};

/// The flag of England: a black flag, and tag characters that show nothing by themselves.
const ENGLAND: &str = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";

/// `é`, `ë` and others as macOS writes them: a letter and a mark.
const DECOMPOSED: &str = "mae\u{308}l";

async fn creates_tag(caller: &Caller, name: &str) -> u16 {
    let tag = json!({ "name": name });
    caller
        .post("/api/tags", tag)
        .await
        .status
}

fn user(username: &str, password: &str) -> Value {
    json!({"username": username, "fullName": "Maël", "role": "member", "password": password})
}

async fn signs_in(api: &Api, username: &str, password: &str) -> u16 {
    let login = json!({"username": username, "password": password});
    api.anonymous()
        .post("/api/auth/login", login)
        .await
        .status
}

/// A query as a part of a URL.
fn encoded(query: &str) -> String {
    let bytes: Vec<String> = query
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    bytes.concat()
}

#[tokio::test]
async fn a_name_holds_what_keyboards_type_and_nothing_that_reorders() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for (title, status) in [
        (format!("{ENGLAND} release"), 200),
        // As Hebrew and Arabic keyboards type them.
        ("שלום\u{200F}! (v2)\u{200E}".to_owned(), 200),
        ("سعر\u{61C} 5".to_owned(), 200),
        // Signs that show: of numbers, of the end of a verse, of an abbreviation.
        ("\u{600}٢٠٢٦ \u{6DD} \u{70F}ܐ".to_owned(), 200),
        ("می\u{200C}خواهم".to_owned(), 200),
        ("rtl\u{202E}fdp.exe".to_owned(), 400),
        ("a\u{2066}b\u{2069}".to_owned(), 400),
        ("soft\u{AD}hyphen".to_owned(), 400),
        ("a\u{200B}b".to_owned(), 400),
        ("\u{200F}\u{200E}".to_owned(), 400),
        ("\u{3164}\u{3164}".to_owned(), 400),
    ] {
        let body = json!({"title": title, "projectId": 1});
        let answer = mia.post("/api/tasks", body).await;
        assert_eq!(answer.status, status, "{title:?}");
    }
}

#[tokio::test]
async fn tags_that_look_the_same_are_one() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for (name, twins) in [
        ("Crème", &["Cre\u{300}me", "CRÈME ", "\u{A0}crème"][..]),
        (
            "wide open",
            &["ｗｉｄｅ open", "wide  open", "wide\u{3000}open"],
        ),
        ("file", &["ﬁle", "fi\u{200D}le", "file\u{200F}"]),
        ("resume", &[]),
        ("résumé", &["RE\u{301}SUME\u{301}"]),
    ] {
        assert_eq!(creates_tag(&max, name).await, 200, "{name:?}");
        for twin in twins {
            assert_eq!(creates_tag(&max, twin).await, 409, "{twin:?}");
        }
    }
}

#[tokio::test]
async fn usernames_that_look_the_same_are_one() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let password = "four words of your own";
    for (username, status) in [
        ("maël", 200),
        (DECOMPOSED, 409),
        ("MAËL", 409),
        ("ａｄａ", 409),
        // Cyrillic a, then Latin letters.
        ("\u{430}dam", 400),
        ("\u{3164}\u{3164}\u{3164}", 400),
        ("ma\u{FE0F}x", 400),
        ("адам-2", 200),
        ("田中さんkun", 200),
        ("zoé.l+work@x-y_z", 200),
    ] {
        let answer = ada
            .post("/api/users", user(username, password))
            .await;
        assert_eq!(answer.status, status, "{username:?}");
    }
    assert_eq!(signs_in(&api, DECOMPOSED, password).await, 200);
    assert_eq!(signs_in(&api, "ＭＡËＬ", password).await, 200);
}

#[tokio::test]
async fn a_password_fits_however_a_system_composes_it() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let composed = "crème brûlée";
    let decomposed = "cre\u{300}me bru\u{302}le\u{301}e";
    for (username, set) in [("one", composed), ("two", decomposed)] {
        let answer = ada
            .post("/api/users", user(username, set))
            .await;
        answer.expect(200);
        for sent in [composed, decomposed] {
            let status = signs_in(&api, username, sent).await;
            assert_eq!(status, 200, "{username} {sent:?}");
        }
        assert_eq!(signs_in(&api, username, "creme brulee").await, 401);
    }
    // Full-width letters stay other letters: a password is no name.
    assert_eq!(signs_in(&api, "one", "ｃrème brûlée").await, 401);
}

#[tokio::test]
async fn names_are_in_the_order_of_their_letters_without_marks() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for name in [
        "zebra", "Äther", "apple", "Łódź", "mail", "resume", "résumé", "Resumes",
    ] {
        assert_eq!(creates_tag(&max, name).await, 200);
    }
    let rows = max.walk("/api/tags").await;
    let names = rows
        .iter()
        .map(|row| row["name"].as_str().unwrap());
    let names: Vec<_> = names.collect();
    let expected = [
        "apple", "Äther", "Łódź", "mail", "resume", "résumé", "Resumes", "zebra",
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn words_are_found_without_what_is_invisible_in_them() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let texts = [
        "Ge\u{AD}samt\u{AD}kon\u{AD}zept",
        "می\u{200C}خواهم",
        "Word\u{2060}Joiner \u{FEFF}marked",
        // A space without width stands between words of Khmer and Thai.
        "សួស្តី\u{200B}ពិភពលោក",
        "Łódź Øresund Đorđe ısparta Ħal Ŧana",
        "Encyclopædia Œuvre Þór Seyðisfjörður",
    ];
    for text in texts {
        let task = json!({"title": "x", "description": text});
        mia.creates_task(task).await;
    }
    api.publishes().await;
    for (query, task) in [
        ("gesamtkonzept", 1),
        ("Ge\u{AD}samt", 1),
        ("میخواهم", 2),
        ("می\u{200C}خوا", 2),
        ("wordjoiner marked", 3),
        ("ពិភពលោក", 4),
        ("lodz oresund dorde isparta hal tana", 5),
        ("łódź øre đor ISPARTA", 5),
        ("encyclopaedia oeuvre thor seydisfjordur", 6),
    ] {
        let query = encoded(query);
        assert_eq!(mia.finds(&query).await, [json!(["task", task])], "{query}");
    }
    assert!(mia.finds("samt").await.is_empty());
}

#[tokio::test]
async fn excerpts_keep_words_and_flags_whole() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({})).await;
    let text = format!("@mia Die Rech\u{AD}nung,\u{2028}שלום\u{200F}! {ENGLAND} می\u{200C}خواهم");
    let shown = format!("@mia Die Rechnung, שלום\u{200F}! {ENGLAND} می\u{200C}خواهم");
    // A flag has seven characters, and is not cut.
    let long = format!("@mia {}{ENGLAND}{ENGLAND}", "x".repeat(190));
    for content in [text, long] {
        creates!(max, "/api/tasks/1/comments", { "content": content });
    }
    api.publishes().await;
    let rows = mia.walk("/api/notifications").await;
    let excerpts = rows
        .iter()
        .map(|row| row["excerpt"].as_str().unwrap());
    let excerpts: Vec<_> = excerpts.collect();
    let cut = format!("@mia {}…", "x".repeat(190));
    assert!(excerpts.contains(&&*shown), "{excerpts:?}");
    assert!(excerpts.contains(&&*cut), "{excerpts:?}");
    let rows = mia
        .walk("/api/search?query=rechnung")
        .await;
    assert_eq!(rows[0]["excerpt"], shown);
}
