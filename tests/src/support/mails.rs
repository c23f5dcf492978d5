//! Mails: the mailer, and the receiver that it sends to.

use std::collections::BTreeMap;

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use local::mail_receiver::MailReceiver;
use mailer::{Mailer, Post, Writer};
use serde_json::json;
use shared::{
    config::ApiUrl,
    model::{
        base::{Id, UserId, span},
        updates::{Letter, Mail},
    },
    queue::Queue,
    runtime::links::LinkSigner,
};

use super::{
    Api, api_config,
    damage::{Item, text, text_of},
    engines, roles,
    webhooks::API_URL,
};

/// The sender of mails.
const FROM: &str = "Workdesk <no-reply@workdesk.example>";

impl Api {
    /// The links of mails, as the functions make them.
    pub fn links(&self) -> LinkSigner {
        LinkSigner::new(
            api_config(&self.table)
                .link_secrets
                .unwrap(),
        )
    }

    /// Gives a user a verified address, and the address its holder.
    pub async fn has_address(&self, name: &str, address: &str) {
        let user = self.user(name).await;
        let tenant = user.organization_id;
        let id = user.id.get();
        let holder = json!({
            "pk": format!("EMAIL#{address}"), "sk": format!("{:016}", tenant.get()),
            "kind": "email_holder", "version": 1, "email": address, "organizationId": tenant,
            "userId": id,
        });
        self.puts([serde_dynamo::to_item(holder).unwrap()])
            .await;
        let verified = text(&self.clock.now().to_string());
        let attributes = [("email", text(address)), ("emailVerifiedAt", verified)];
        let pk = format!("ORG#{tenant}#USER");
        let sk = format!("{id:016}");
        self.sets([&pk, &sk], attributes).await;
    }

    /// Writes mails of organization 1, past the change that would cause each.
    pub async fn has_mails<'a>(
        &self,
        mails: impl IntoIterator<Item = (Option<UserId>, &'a str, Letter)>,
    ) {
        let tenant = self.home.id;
        let items = mails
            .into_iter()
            .map(|(user, to, letter)| {
                let mail = Mail::new(tenant, user, to.to_owned(), letter, self.clock.now());
                let mut item = json!(mail);
                item["pk"] = json!(format!("ORG#{tenant}#MAIL"));
                item["sk"] = json!(mail.id);
                item["kind"] = json!("mail");
                item["version"] = json!(1);
                item["gsi4pk"] = json!(format!("DUE#mail#{}", tenant.get() % 16));
                item["gsi4sk"] = json!(mail.sending.due_at);
                serde_dynamo::to_item(item).unwrap()
            });
        self.puts(items).await;
    }

    /// The status of the mails to each address; of several, that of one.
    pub async fn mail_states(&self) -> BTreeMap<String, String> {
        let state = |item: Item| {
            let [to, status] = ["to", "status"].map(|name| text_of(&item, name).to_owned());
            (to, status)
        };
        self.items_of("mail")
            .await
            .into_iter()
            .map(state)
            .collect()
    }

    /// A mailer under its role, which sends to a server.
    pub async fn mailer(&self, url: &str) -> Mailer {
        let queue = Queue::new(engines::engines().await.sqs(), &self.queues.mails.url);
        let writer = Writer::new(self.links(), ApiUrl::new(API_URL));
        let post = Post::new(FROM, url, true).unwrap();
        Mailer::new(self.store_of("mailer"), queue, Some((writer, post)))
    }

    /// A quarter of an hour passes: the sweeper sends messages for all mails that are due. Returns
    /// the messages, in events of ten.
    pub async fn mail_events(&self) -> Vec<SqsEvent> {
        self.clock.advance(15 * span::MINUTE);
        let swept = self.sweeper().await.sweep().await;
        assert_eq!(swept.errors, 0, "{swept:?}");
        let messages = self
            .messages_of(&self.queues.mails.url)
            .await;
        let event = |batch: &[SqsMessage]| {
            let mut event = SqsEvent::default();
            event.records = batch.to_vec();
            event
        };
        messages.chunks(10).map(event).collect()
    }

    /// Has two mailers handle each message of [`mail_events`](Self::mail_events) at the same time.
    /// Returns how many messages there were.
    pub async fn sends_mails(&self, receiver: &MailReceiver) -> usize {
        let first = self.mailer(receiver.url()).await;
        let second = self.mailer(receiver.url()).await;
        let mut count = 0;
        for event in self.mail_events().await {
            count += event.records.len();
            let both = async { tokio::join!(first.handle(event.clone()), second.handle(event)) };
            let (first_response, second_response) =
                roles::acting_as("mailer", Box::pin(both)).await;
            let failures = [
                first_response.batch_item_failures,
                second_response.batch_item_failures,
            ];
            assert!(failures.concat().is_empty(), "{failures:?}");
        }
        count
    }
}
