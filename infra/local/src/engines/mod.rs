//! DynamoDB, SQS and a key management service inside this process, with the table and queues of the
//! template.
//!
//! `cargo local` and the tests use [`Engines`]. Several may run at the same time, each with its own
//! ports and threads. Tests with different runtimes can share one.

mod clients;
mod dynamodb;
mod error;
mod kms;
mod options;
mod problem;
mod resources;
mod sqs;
mod stream;

pub(crate) use clients::{ACCESS_KEY_ID, SECRET_ACCESS_KEY};
pub use clients::{REGION, dynamodb_client, kms_client, sqs_client};
pub use error::EngineError;
pub use kms::KEY;
pub use options::{Options, QueueEngine, SecretsKey, TableEngine};
pub(crate) use problem::problem;
pub use resources::{EngineQueue, EngineQueues};
pub use stream::Stream;

use aws_config::SdkConfig;
use shared::runtime::kms::Kms;

use crate::{background::Background, template::Template};

/// Running engines. Dropping it stops them; [`Engines::stop`] also waits for their end.
#[derive(Debug)]
pub struct Engines {
    template: Template,
    dynamodb_url: String,
    sqs_url: String,
    kms_url: String,
    table_name: String,
    queues: EngineQueues,
    servers: Vec<Background>,
}

impl Engines {
    /// Starts the engines in memory, on free ports, with the table and queues of the template.
    pub async fn in_memory() -> Result<Self, EngineError> {
        Self::start(Options::default()).await
    }

    /// Starts the engines of `options` and creates the table and queues that are absent.
    pub async fn start(options: Options) -> Result<Self, EngineError> {
        let template = Template::deployed()?;
        let mut servers = Vec::new();

        let dynamodb_url = match options.table_engine {
            TableEngine::At(url) => url,
            embedded => {
                let (url, server) = dynamodb::start(&embedded, options.dynamodb_port)?;
                servers.push(server);
                url
            }
        };
        let sqs_url = match options.queue_engine {
            QueueEngine::At(url) => url,
            QueueEngine::Memory => {
                let (url, server) = sqs::start(options.sqs_port)?;
                servers.push(server);
                url
            }
        };
        let (kms_url, server) = kms::start(&options.secrets_key.0)?;
        servers.push(server);

        resources::create_table(
            &dynamodb_client(&dynamodb_url),
            &options.table_name,
            &template.table,
        )
        .await
        .map_err(|error| error.at("DynamoDB", &dynamodb_url))?;
        let client = sqs_client(&sqs_url);
        let queues = resources::create_queues(&client, &options.queue_prefix, &template);
        let queues = Box::pin(queues)
            .await
            .map_err(|error| error.at("SQS", &sqs_url))?;
        Ok(Self {
            template,
            dynamodb_url,
            sqs_url,
            kms_url,
            table_name: options.table_name,
            queues,
            servers,
        })
    }

    /// Returns the URL of DynamoDB.
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    pub fn sqs_url(&self) -> &str {
        &self.sqs_url
    }

    /// Returns the URL of the key management service, whose key is [`KEY`].
    pub fn kms_url(&self) -> &str {
        &self.kms_url
    }

    /// Returns the name of the table that was created at the start.
    pub fn table_name(&self) -> &str {
        &self.table_name
    }

    /// Returns the queues that were created at the start.
    pub fn queues(&self) -> &EngineQueues {
        &self.queues
    }

    /// Returns a client for DynamoDB. Its connections belong to the runtime that first uses it, so
    /// each runtime needs its own client.
    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        dynamodb_client(&self.dynamodb_url)
    }

    /// Returns a client for SQS. Its connections belong to the runtime that first uses it, so each
    /// runtime needs its own client.
    pub fn sqs(&self) -> aws_sdk_sqs::Client {
        sqs_client(&self.sqs_url)
    }

    /// Returns a client for the key management service. Its connections belong to the runtime that
    /// first uses it, so each runtime needs its own client.
    pub fn kms(&self) -> Result<Kms, EngineError> {
        Ok(kms_client(&self.kms_url)?)
    }

    /// Returns the configuration of a function's clients. Their connections belong to the runtime
    /// that first uses them.
    pub fn aws(&self) -> SdkConfig {
        clients::of_function(&self.dynamodb_url, &self.sqs_url, &self.kms_url)
    }

    /// Returns a reader of a table's stream. It begins after a sequence number, or at the oldest
    /// record.
    pub fn stream(&self, table: &str, after: Option<String>) -> Result<Stream, EngineError> {
        Stream::new(&self.dynamodb_url, table, after)
    }

    /// Creates a table called `name` with the schema of the template, unless it exists.
    pub async fn create_table(&self, name: &str) -> Result<(), EngineError> {
        let client = self.dynamodb();
        // The future is large.
        Box::pin(resources::create_table(&client, name, &self.template.table)).await
    }

    /// Creates other queues, whose names begin with the prefix.
    pub async fn create_queues(&self, prefix: &str) -> Result<EngineQueues, EngineError> {
        Box::pin(resources::create_queues(
            &self.sqs(),
            prefix,
            &self.template,
        ))
        .await
    }

    /// Stops the engines and waits until ports and files are released.
    pub async fn stop(self) {
        for server in self.servers {
            server.stop().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue;
    use secrecy::{ExposeSecret, SecretString};

    use super::*;

    fn text(value: &str) -> AttributeValue {
        AttributeValue::S(value.to_owned())
    }

    async fn put(engines: &Engines, table: &str, id: &str) {
        let mut put = engines
            .dynamodb()
            .put_item()
            .table_name(table);
        for (name, value) in [
            ("pk", id),
            ("sk", "item"),
            ("gsi1pk", "all"),
            ("gsi1sk", id),
        ] {
            put = put.item(name, text(value));
        }
        put.send().await.unwrap();
    }

    async fn count(engines: &Engines, table: &str) -> i32 {
        let query = engines
            .dynamodb()
            .query()
            .table_name(table);
        let query = query
            .index_name("gsi1")
            .key_condition_expression("gsi1pk = :all")
            .expression_attribute_values(":all", text("all"));
        query.send().await.unwrap().count()
    }

    #[tokio::test]
    async fn engines_side_by_side_share_nothing() {
        let engines = Engines::in_memory().await.unwrap();
        let other = Engines::in_memory().await.unwrap();
        put(&engines, engines.table_name(), "a").await;
        engines
            .create_table("second")
            .await
            .unwrap();

        assert_eq!(count(&engines, engines.table_name()).await, 1);
        assert_eq!(count(&engines, "second").await, 0);
        assert_eq!(count(&other, other.table_name()).await, 0);
    }

    #[test]
    fn engines_outlive_the_runtime_that_started_them() {
        let runtime = || tokio::runtime::Runtime::new().unwrap();
        let engines = runtime()
            .block_on(Engines::in_memory())
            .unwrap();
        runtime().block_on(put(&engines, engines.table_name(), "a"));
        assert_eq!(runtime().block_on(count(&engines, engines.table_name())), 1);
    }

    #[tokio::test]
    async fn a_file_keeps_its_records_and_its_table_is_created_once() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            table_engine: TableEngine::File(folder.path().join("deep/table.sqlite")),
            ..Options::default()
        };
        let first = Engines::start(options.clone())
            .await
            .unwrap();
        put(&first, first.table_name(), "a").await;
        first.stop().await;

        let second = Engines::start(options).await.unwrap();
        assert_eq!(count(&second, second.table_name()).await, 1);
    }

    #[tokio::test]
    async fn an_engine_elsewhere_is_used_and_not_started() {
        let elsewhere = Engines::in_memory().await.unwrap();
        let options = Options {
            table_engine: TableEngine::At(elsewhere.dynamodb_url().to_owned()),
            queue_engine: QueueEngine::At(elsewhere.sqs_url().to_owned()),
            ..Options::default()
        };
        let engines = Engines::start(options).await.unwrap();
        assert_eq!(engines.queues(), elsewhere.queues());
        let url = &engines.queues().actions.url;
        assert!(url.starts_with(elsewhere.sqs_url()), "{url}");
        put(&engines, engines.table_name(), "a").await;
        assert_eq!(count(&elsewhere, elsewhere.table_name()).await, 1);
    }

    #[tokio::test]
    async fn a_ciphertext_belongs_to_its_context_and_key() {
        let key = SecretsKey([7; 32]);
        let start = async || {
            let options = Options {
                secrets_key: key.clone(),
                ..Options::default()
            };
            Engines::start(options).await.unwrap()
        };
        let engines = start().await;
        let context = &[("organization", "1"), ("connection", "a")];
        let kms = engines.kms().unwrap();
        let secret = SecretString::from("hush");
        let sealed = kms
            .encrypt(KEY, &secret, context)
            .await
            .unwrap();
        let again = kms
            .encrypt(KEY, &secret, context)
            .await
            .unwrap();
        assert_ne!(sealed, again);
        // The order of a context's pairs does not matter, nor does a restart with the same key.
        let turned = &[("connection", "a"), ("organization", "1")];
        let restarted = start().await;
        let opened = restarted.kms().unwrap();
        let opened = opened
            .decrypt(&sealed, turned)
            .await
            .unwrap();
        assert_eq!(opened.expose_secret(), "hush");

        let other = Engines::in_memory().await.unwrap();
        let other_key = other.kms().unwrap();
        let mut damaged = sealed.clone();
        let other_letter = if &damaged[20..21] == "A" { "B" } else { "A" };
        damaged.replace_range(20..21, other_letter);
        for (kms, ciphertext, context) in [
            (&kms, &sealed, &[("organization", "2"), context[1]][..]),
            (&kms, &sealed, &[("organization", "1")]),
            (&kms, &sealed, &[]),
            (&kms, &damaged, context),
            (&kms, &"c2hvcnQ=".to_owned(), context),
            (&other_key, &sealed, context),
        ] {
            let error = kms
                .decrypt(ciphertext, context)
                .await
                .unwrap_err();
            assert!(error.is_wrong_ciphertext(), "{context:?}: {error}");
        }
        for (key, text, code) in [
            ("arn:another", "hush".to_owned(), "NotFoundException"),
            (KEY, String::new(), "ValidationException"),
            (KEY, "x".repeat(4_097), "ValidationException"),
        ] {
            let refused = kms
                .encrypt(key, &SecretString::from(text), context)
                .await;
            assert_eq!(refused.unwrap_err().code.as_deref(), Some(code));
        }
    }

    #[tokio::test]
    async fn a_stopped_engine_has_released_its_port() {
        let engines = Engines::in_memory().await.unwrap();
        // An open connection must not keep the engine alive.
        let client = engines.dynamodb();
        client
            .list_tables()
            .send()
            .await
            .unwrap();
        let address = engines
            .dynamodb_url()
            .replace("http://", "");
        engines.stop().await;
        assert!(std::net::TcpStream::connect(address).is_err());
    }

    #[tokio::test]
    async fn a_message_received_too_often_becomes_a_dead_letter() {
        let engines = Engines::in_memory().await.unwrap();
        let queues = engines
            .create_queues("extra")
            .await
            .unwrap();
        let sqs = engines.sqs();
        let queue = &queues.actions;
        let send = sqs.send_message().queue_url(&queue.url);
        send.message_body("poison")
            .send()
            .await
            .unwrap();
        let receive = async |url: &str| {
            let received = sqs
                .receive_message()
                .queue_url(url)
                .send()
                .await;
            received
                .unwrap()
                .messages
                .unwrap_or_default()
        };
        for _ in 0..5 {
            let received = receive(&queue.url).await;
            let change = sqs
                .change_message_visibility()
                .queue_url(&queue.url);
            let change = change.set_receipt_handle(received[0].receipt_handle.clone());
            change
                .visibility_timeout(0)
                .send()
                .await
                .unwrap();
        }
        assert!(receive(&queue.url).await.is_empty());
        let dead = receive(&queue.dead_letter_url).await;
        assert_eq!(dead[0].body(), Some("poison"));
    }
}
