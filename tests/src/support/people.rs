//! Addresses of users, invitations, and the links that mails have.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::{
    model::{
        base::{Email, Id, InvitationId},
        people::{Held, PasswordForgotten, User},
        updates::{Letter, Mail, MailedLink},
    },
    store::people::Inviter,
};

use crate::records;

use super::Api;

/// The mails of a world, in parts.
pub struct Mailbox<'a> {
    api: &'a Api,
    seen: BTreeSet<String>,
}

impl Mailbox<'_> {
    /// The mails since the last call.
    pub async fn news(&mut self) -> Vec<Mail> {
        let mut news = self.api.mails().await;
        news.retain(|mail| self.seen.insert(mail.id.clone()));
        news
    }

    /// The only mail since the last call.
    pub async fn mail(&mut self) -> Mail {
        let mut news = self.news().await;
        assert_eq!(news.len(), 1, "{news:?}");
        news.remove(0)
    }

    /// The token of the only mail since the last call.
    pub async fn token(&mut self) -> String {
        let mail = self.mail().await;
        let (Letter::Invitation { link, .. }
        | Letter::PasswordReset { link, .. }
        | Letter::EmailConfirmation { link, .. }) = &mail.letter
        else {
            panic!("no link: {mail:?}");
        };
        self.api.app.links.token(link).unwrap()
    }
}

impl Api {
    /// All mails that were written.
    pub async fn mails(&self) -> Vec<Mail> {
        let items = self.items_of("mail").await.into_iter();
        let mails = items.map(serde_dynamo::from_item);
        mails.map(Result::unwrap).collect()
    }

    /// The mails from now on.
    pub async fn mailbox(&self) -> Mailbox<'_> {
        let mut mailbox = Mailbox {
            api: self,
            seen: BTreeSet::new(),
        };
        mailbox.news().await;
        mailbox
    }

    /// A link that no mail has, and its token.
    fn link(&self) -> (MailedLink, String) {
        let link = self.app.links.issue();
        let token = self.app.links.token(&link).unwrap();
        (link, token)
    }

    /// The token of a link to a new address of a user.
    pub async fn has_link_to_confirm(&self, user: &User, email: &str) -> String {
        let (link, token) = self.link();
        let links = self.store.account_links();
        links
            .ask_for(user, address(email), link)
            .await
            .unwrap();
        token
    }

    /// Gives a user a verified address.
    pub async fn has_verified(&self, user: &User, email: &str) {
        let token = self
            .has_link_to_confirm(user, email)
            .await;
        let links = self.store.account_links();
        links
            .confirm_email(&token, None)
            .await
            .unwrap();
    }

    /// The token of a link for a forgotten password of the only user of a verified address.
    pub async fn has_link_to_reset(&self, email: &str) -> String {
        let (link, token) = self.link();
        let links = self.store.account_links();
        let named: PasswordForgotten = records::sent(&json!({"email": email}));
        let issue = || link.clone();
        links
            .forgot(&named, "test", issue)
            .await
            .unwrap();
        token
    }

    /// Binds a user of organization 1 to the person `sub-NAME` of a provider, past the service.
    pub async fn is_bound(&self, name: &str, issuer: &str) {
        let user = self.user(name).await;
        let sub = format!("sub-{name}");
        let hash = shared::model::people::digest(&format!("{issuer}\n{sub}"));
        let holder = json!({
            "pk": "ORG#1#SUBJECT", "sk": hash, "kind": "subject_holder", "version": 1,
            "organizationId": 1, "hash": hash, "userId": user.id,
        });
        self.puts([serde_dynamo::to_item(holder).unwrap()])
            .await;
        let key = format!("{:016}", user.id.get());
        let subject = json!({"issuer": issuer, "sub": sub});
        let subject = serde_dynamo::to_attribute_value(subject).unwrap();
        self.sets(["ORG#1#USER", &key], [("providerSubject", subject)])
            .await;
    }

    /// An invitation by a user, and the token of its link.
    pub async fn has_invitation(&self, by: &User, body: Value) -> (InvitationId, String) {
        let (link, token) = self.link();
        let by = Inviter {
            user: by.clone(),
            held: Held::newly(by),
            most: 50,
        };
        let tenant = by.user.organization_id;
        let invitations = self.store.invitations();
        let new = records::sent(&body);
        let created = invitations.create(tenant, async || Ok(by.clone()), &new, link);
        (created.await.unwrap().id, token)
    }
}

fn address(text: &str) -> Email {
    serde_json::from_value(json!(text)).unwrap()
}
