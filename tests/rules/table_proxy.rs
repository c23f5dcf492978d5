//! The proxy before the table: its refusals are DynamoDB's, and the SDK knows its faults.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_sdk_dynamodb::{
    Client,
    error::ProvideErrorMetadata,
    types::{AttributeValue, Delete, KeysAndAttributes, Put, TransactWriteItem, Update},
};
use futures::future::BoxFuture;
use tests::{
    support::{Counter, client, engines, set, text, text_of},
    table_proxy::{Asked, Fault, FaultSource, OBSERVER, TableProxy},
};

/// The faults of the requests to come, the last first.
#[derive(Debug, Default)]
struct Stack(Mutex<Vec<Fault>>);

impl FaultSource for Stack {
    fn fault<'a>(&'a self, _: &'a Asked) -> BoxFuture<'a, Option<Fault>> {
        Box::pin(std::future::ready(self.0.lock().unwrap().pop()))
    }
}

struct Table {
    name: String,
    client: Client,
    observer: Client,
    faults: Arc<Stack>,
}

fn item(sk: &str) -> HashMap<String, AttributeValue> {
    let mut item = HashMap::new();
    let attributes = [("pk", "p"), ("sk", sk), ("gsi1pk", "all"), ("gsi1sk", sk)];
    set(
        &mut item,
        attributes.map(|(name, value)| (name, text(value))),
    );
    item
}

impl Table {
    async fn start() -> Self {
        let (name, _) = engines::fresh().await;
        let faults = Arc::new(Stack::default());
        let dynamodb = engines::engines().await.dynamodb_url();
        let proxy = TableProxy::start(dynamodb, faults.clone()).await;
        proxy.lag_behind(&name).await;
        Self {
            name,
            client: client(proxy.url(), &Counter::default()),
            observer: client(&proxy.url_of(OBSERVER), &Counter::default()),
            faults,
        }
    }

    fn put(&self, sk: &str) -> TransactWriteItem {
        let put = Put::builder().table_name(&self.name);
        let put = put
            .set_item(Some(item(sk)))
            .build()
            .unwrap();
        TransactWriteItem::builder()
            .put(put)
            .build()
    }

    /// The code of the error of a transaction; none when it was done.
    async fn transact(&self, writes: Vec<TransactWriteItem>) -> Option<String> {
        let transaction = self.client.transact_write_items();
        let sent = transaction
            .set_transact_items(Some(writes))
            .send()
            .await;
        sent.err()
            .map(|error| error.code().unwrap().to_owned())
    }

    /// The sort keys that the index has under a key.
    async fn index(&self, client: &Client, key: &str) -> Result<Vec<String>, String> {
        let query = client
            .query()
            .table_name(&self.name)
            .index_name("gsi1");
        let query = query.key_condition_expression("gsi1pk = :key");
        let answer = query
            .expression_attribute_values(":key", text(key))
            .send();
        let answer = answer.await;
        let answer = answer.map_err(|error| error.code().unwrap().to_owned())?;
        let keys = answer
            .items()
            .iter()
            .map(|item| text_of(item, "sk"));
        Ok(keys.map(str::to_owned).collect())
    }
}

/// Until then an index has caught up.
const PATIENCE: Duration = Duration::from_secs(20);

const REFUSED: &str = "ValidationException";

#[tokio::test]
async fn a_transaction_has_a_hundred_items_at_most_and_none_twice() {
    let table = Table::start().await;
    let puts = |count| (0..count).map(|at| table.put(&format!("{at}")));
    assert_eq!(
        table
            .transact(puts(100).collect())
            .await,
        None
    );
    let refused = Some(REFUSED.to_owned());
    assert_eq!(
        table
            .transact(puts(101).collect())
            .await,
        refused
    );
    let delete = Delete::builder().table_name(&table.name);
    let delete = delete
        .key("pk", text("p"))
        .key("sk", text("1"));
    let delete = TransactWriteItem::builder().delete(delete.build().unwrap());
    let twice = vec![table.put("1"), delete.build()];
    assert_eq!(table.transact(twice).await, refused);
}

/// The items in the table count, not the bytes of the request.
#[tokio::test]
async fn a_transaction_changes_items_of_four_megabytes_at_most() {
    let table = Table::start().await;
    for at in 0..12 {
        let mut large = item(&at.to_string());
        set(&mut large, [("large", text(&"x".repeat(390_000)))]);
        let put = table
            .client
            .put_item()
            .table_name(&table.name);
        put.set_item(Some(large))
            .send()
            .await
            .unwrap();
    }
    let update = |at: i32| {
        let update = Update::builder().table_name(&table.name);
        let update = update
            .key("pk", text("p"))
            .key("sk", text(&at.to_string()));
        let update = update.update_expression("SET #a = :a");
        let update = update.expression_attribute_names("#a", "a");
        let update = update.expression_attribute_values(":a", text("a"));
        let update = update.build().unwrap();
        TransactWriteItem::builder()
            .update(update)
            .build()
    };
    assert_eq!(
        table
            .transact((0..10).map(update).collect())
            .await,
        None
    );
    let refused = Some(REFUSED.to_owned());
    assert_eq!(
        table
            .transact((0..12).map(update).collect())
            .await,
        refused
    );
}

#[tokio::test]
async fn no_key_is_empty_and_none_is_read_by_an_empty_one() {
    let table = Table::start().await;
    for empty in ["pk", "sk", "gsi1pk", "gsi1sk"] {
        let mut item = item("s");
        set(&mut item, [(empty, text(""))]);
        let put = table
            .client
            .put_item()
            .table_name(&table.name);
        let refused = put
            .set_item(Some(item))
            .send()
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Some(REFUSED), "{empty}");
    }
    let refused = table.index(&table.client, "").await;
    assert_eq!(refused, Err(REFUSED.to_owned()));
}

#[tokio::test]
async fn a_name_without_an_expression_is_refused() {
    let table = Table::start().await;
    let put = table
        .client
        .put_item()
        .table_name(&table.name);
    let put = put.set_item(Some(item("s")));
    let put = put.condition_expression("attribute_not_exists(pk)");
    let unused = put.expression_attribute_values(":unused", text("x"));
    assert_eq!(unused.send().await.unwrap_err().code(), Some(REFUSED));
}

#[tokio::test]
async fn an_index_lags_behind_its_table_for_who_asks_while_it_does() {
    let table = Table::start().await;
    assert_eq!(
        table
            .transact(vec![table.put("a")])
            .await,
        None
    );
    table
        .faults
        .0
        .lock()
        .unwrap()
        .push(Fault::Stale);
    assert_eq!(table.index(&table.client, "all").await, Ok(vec![]));
    let fresh = table.index(&table.client, "all").await;
    assert_eq!(fresh, Ok(vec!["a".to_owned()]));
    let catches_up = async {
        while table
            .index(&table.client, "all")
            .await
            .unwrap()
            .is_empty()
        {
            table
                .faults
                .0
                .lock()
                .unwrap()
                .push(Fault::Stale);
        }
    };
    let caught_up = tokio::time::timeout(PATIENCE, catches_up).await;
    assert!(caught_up.is_ok(), "it still lags");
}

#[tokio::test]
async fn the_sdk_repeats_what_passes_and_an_observer_meets_nothing() {
    let table = Table::start().await;
    let strike = |fault| {
        table
            .faults
            .0
            .lock()
            .unwrap()
            .push(fault);
    };
    for fault in [Fault::Throttled, Fault::Broken, Fault::LostAnswer] {
        strike(fault);
        assert_eq!(
            table
                .transact(vec![table.put("a")])
                .await,
            None
        );
    }
    strike(Fault::Conflict);
    let conflict = Some("TransactionCanceledException".to_owned());
    assert_eq!(
        table
            .transact(vec![table.put("a")])
            .await,
        conflict
    );

    strike(Fault::NoKeyRead);
    let key = HashMap::from([("pk".to_owned(), text("p")), ("sk".to_owned(), text("a"))]);
    let wanted = KeysAndAttributes::builder()
        .keys(key)
        .build()
        .unwrap();
    let read = || {
        let read = table.client.batch_get_item();
        read.request_items(&table.name, wanted.clone())
            .send()
    };
    let left = read().await.unwrap();
    assert_eq!(left.unprocessed_keys().unwrap()[&table.name], wanted);
    let answer = read().await.unwrap();
    assert_eq!(answer.responses().unwrap()[&table.name].len(), 1);

    strike(Fault::Denied);
    let seen = table
        .index(&table.observer, "all")
        .await;
    assert_eq!(seen, Ok(vec!["a".to_owned()]));
}
