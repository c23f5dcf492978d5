//! `/api/journal`, and the changes that it has

mod agent;
mod check;
mod list;
mod sign_ins;
mod users;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::support::{Api, Caller, Item};

/// An admin who reads the journal.
pub struct Reader {
    ada: Caller,
    seen: usize,
}

impl Reader {
    pub async fn of(api: &Api) -> Self {
        let ada = api.sign_in("ada").await;
        let seen = ada.walk("/api/journal").await.len();
        Self { ada, seen }
    }

    /// The entries since the last call, without their place in the chain and their digests, which
    /// are checked.
    pub async fn news(&mut self) -> Vec<Value> {
        let mut entries = self.ada.walk("/api/journal").await;
        let chained = entries
            .iter()
            .filter(|entry| !entry["seq"].is_null());
        for (number, entry) in chained.enumerate() {
            assert_eq!(entry["seq"], json!(number + 1));
        }
        let check = self
            .ada
            .reads("/api/journal/check")
            .await;
        assert_eq!(check["verified"], true, "{check}");
        assert_eq!(check["entries"], json!(entries.len()));
        let mut news = entries.split_off(self.seen);
        self.seen += news.len();
        for entry in &mut news {
            for name in ["seq", "at", "hash", "previousHash", "digested"] {
                entry
                    .as_object_mut()
                    .unwrap()
                    .remove(name)
                    .unwrap();
            }
        }
        news
    }
}

/// The breaks that the check finds.
async fn breaks(ada: &Caller) -> Value {
    let check = ada.reads("/api/journal/check").await;
    assert_eq!(check["verified"], json!(check["breaks"] == json!([])));
    check["breaks"].clone()
}

/// The only break.
fn broken(seq: impl Into<Value>, why: &str) -> Value {
    json!([{"seq": seq.into(), "subject": null, "why": why}])
}

/// The item with another value of an attribute.
fn changed(item: &Item, name: &str, value: AttributeValue) -> Item {
    let mut changed = item.clone();
    changed.insert(name.to_owned(), value);
    changed
}

/// An entry of a caller with a session.
pub fn by_session(caller: &Caller, event: &str, subjects: Value, changed: [Value; 2]) -> Value {
    let credential = json!({"type": "session", "tokenId": null, "tokenName": null});
    entry(Some(caller.id()), credential, event, subjects, changed)
}

/// An entry of a user, with the values before and after.
pub fn entry(
    user: Option<i64>,
    credential: Value,
    event: &str,
    subjects: Value,
    [before, after]: [Value; 2],
) -> Value {
    let kind = if user.is_some() { "user" } else { "service" };
    Value::from_iter([
        ("actor", json!({"type": kind, "userId": user})),
        ("credential", credential),
        ("event", json!(event)),
        ("subjects", subjects),
        ("before", before),
        ("after", after),
    ])
}
