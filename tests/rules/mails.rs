//! Mails: none is lost, none is sent twice within one acceptance, and each letter is text.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use local::mail_receiver::{MailReceiver, MailVerdict, Moment, Received};
use serde_json::{Value, json};
use shared::model::{
    base::span,
    people::Role,
    updates::{AccountChange, Letter},
};
use tests::support::{Api, roles, text_of};

const MAILS: usize = 1_000;

/// Counts by recipient.
type Counts = BTreeMap<String, usize>;

fn changed(api: &Api) -> Letter {
    Letter::PasswordChanged(AccountChange {
        username: "mia".to_owned(),
        at: api.clock.now(),
        network: Some("203.0.113.0/24".to_owned()),
    })
}

/// The server's behaviour by the number in an address, after `earlier` mails to it at that moment:
/// half of the mails meet a fault.
fn verdict(to: &str, moment: Moment, earlier: usize) -> MailVerdict {
    let number: usize = to
        .split(['-', '@'])
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    match (number % 10, moment, earlier) {
        (0, Moment::Recipient, _) => MailVerdict::Answer("550 5.1.1 No such user"),
        // The last mail is kept, and its sender does not hear of it.
        (1, Moment::Recipient, 0) | (2, Moment::Content, 0 | 1) | (3, Moment::Kept, 0) => {
            MailVerdict::Cut
        }
        (4, Moment::Recipient, 0 | 1) => MailVerdict::Answer("451 4.7.1 Greylisted"),
        (5, Moment::Content, 0) => MailVerdict::Answer("421 4.3.2 Shutting down"),
        _ => MailVerdict::Accept,
    }
}

#[tokio::test]
async fn a_thousand_mails_come_through_a_server_that_drops_defers_and_rejects() {
    let (api, [vic]) = Api::with_users(["vic"]).await;
    api.has_address("vic", "to-0@example.com")
        .await;
    let addresses: Vec<_> = (0..MAILS)
        .map(|n| format!("to-{n}@example.com"))
        .collect();
    let mails = addresses.iter().enumerate();
    let mails = mails.map(|(n, to)| ((n == 0).then_some(vic.id), to.as_str(), changed(&api)));
    api.has_mails(mails).await;

    let counts = [Arc::<Mutex<Counts>>::default(), Arc::default()];
    let [calls, acceptances] = counts.clone();
    let receiver = MailReceiver::judging(move |to, moment| {
        let mut calls = calls.lock().unwrap();
        let count = calls
            .entry(format!("{to} {moment:?}"))
            .or_default();
        *count += 1;
        let verdict = verdict(to, moment, *count - 1);
        if (moment, verdict) == (Moment::Kept, MailVerdict::Accept) {
            let mut acceptances = acceptances.lock().unwrap();
            *acceptances
                .entry(to.to_owned())
                .or_default() += 1;
        }
        verdict
    });
    let receiver = receiver.unwrap();
    while api.sends_mails(&receiver).await > 0 {}

    let mail_states = api.mail_states().await;
    {
        let [calls, acceptances] = counts
            .each_ref()
            .map(|counts| counts.lock().unwrap());
        for (n, to) in addresses.iter().enumerate() {
            let is_refused = n % 10 == 0;
            let status = if is_refused { "failed" } else { "sent" };
            assert_eq!(mail_states[to], status, "{to}");
            let count = acceptances
                .get(to)
                .copied()
                .unwrap_or_default();
            assert_eq!(count, usize::from(!is_refused), "{to}");
            if is_refused {
                assert_eq!(calls[&format!("{to} Recipient")], 1, "{to}");
            }
        }
    }
    // A mail whose acceptance was lost came twice, with one id.
    let kept = receiver.inbox().newest_first();
    assert_eq!(kept.len(), MAILS);
    let ids = kept
        .iter()
        .map(|mail| &mail.headers["message-id"]);
    let ids: BTreeSet<_> = ids.collect();
    assert_eq!(ids.len(), MAILS - MAILS / 10);

    let ada = api.sign_in("ada").await;
    let path = format!("/api/users/{}", vic.id);
    let bounced_at = async || ada.reads(&path).await["emailBouncedAt"].clone();
    assert!(bounced_at().await.is_string());
    // A mail that is accepted ends it.
    let mail = (Some(vic.id), "to-0@example.com", changed(&api));
    api.has_mails([mail]).await;
    let receiver = MailReceiver::start().unwrap();
    // The queue may still have delayed messages of mails that the sweeper's messages ended.
    api.sends_mails(&receiver).await;
    assert_eq!(receiver.inbox().newest_first().len(), 1);
    assert_eq!(bounced_at().await, Value::Null);
}

#[tokio::test]
async fn a_server_that_refuses_the_sender_makes_no_bounce() {
    let (api, [vic]) = Api::with_users(["vic"]).await;
    api.has_address("vic", "vic@example.com")
        .await;
    let mail = (Some(vic.id), "vic@example.com", changed(&api));
    api.has_mails([mail]).await;
    let receiver = MailReceiver::judging(|_, moment| match moment {
        Moment::SignIn => MailVerdict::Answer("535 5.7.8 Wrong password"),
        _ => MailVerdict::Accept,
    });
    let receiver = receiver.unwrap();
    let url = receiver
        .url()
        .replace("smtp://", "smtp://user:hush@");
    let mailer = api.mailer(&url).await;
    for event in api.mail_events().await {
        roles::acting_as("mailer", mailer.handle(event)).await;
    }
    let mail = api.items_of("mail").await.remove(0);
    assert_eq!(text_of(&mail, "status"), "pending");
    let problem = text_of(&mail, "lastError");
    let is_told = problem.contains("535") && !problem.contains("hush");
    assert!(is_told, "{problem}");
    let user = api.items_of("user").await.remove(0);
    assert!(!user.contains_key("emailBouncedAt"));
}

/// Sends a letter. Returns the mail.
async fn sent(api: &Api, letter: Letter) -> Received {
    let receiver = MailReceiver::start().unwrap();
    api.has_mails([(None, "mia@example.com", letter)])
        .await;
    assert_eq!(api.sends_mails(&receiver).await, 1);
    receiver
        .inbox()
        .newest_first()
        .remove(0)
}

#[tokio::test]
async fn letters_have_links_and_quote_what_users_wrote_as_text() {
    let api = Api::start().await;
    let link = api.links().issue();
    let token = api.links().token(&link).unwrap();
    let expires_at = api.clock.now().plus(span::DAY);
    let username = "mia".to_owned();
    let invitation = Letter::Invitation {
        invited_by: "Eve <b>\r\nBcc: all@example.com".to_owned(),
        role: Role::Member.into(),
        link: link.clone(),
        expires_at,
    };
    let reset = Letter::PasswordReset {
        username: username.clone(),
        link: link.clone(),
        expires_at,
    };
    let confirmation = Letter::EmailConfirmation {
        username,
        link,
        expires_at,
    };
    for (letter, page) in [
        (invitation, "accept"),
        (reset, "reset"),
        (confirmation, "confirm"),
        (changed(&api), ""),
    ] {
        let mail = sent(&api, letter).await;
        let url = format!("https://api.workdesk.example/#/{page}?token={token}");
        assert_eq!(mail.text.contains(&url), !page.is_empty(), "{}", mail.text);
        assert_eq!(mail.html.contains(&url), !page.is_empty(), "{}", mail.html);
        match page {
            "accept" => {
                let subject =
                    "Invitation to “Halden Services”, from “Eve <b>  Bcc: all@example.com”";
                assert_eq!(mail.subject, subject);
                assert!(mail.html.contains("Eve &lt;b&gt;"), "{}", mail.html);
            }
            "" => assert!(mail.text.contains("203.0.113.0/24"), "{}", mail.text),
            _ => assert!(mail.text.contains("mia"), "{}", mail.text),
        }
        // The desk offers the provider of this organization.
        let names_organization = mail.text.contains("&organization=1");
        assert_eq!(names_organization, page == "accept", "{}", mail.text);
        assert_eq!(mail.to, ["mia@example.com"]);
        assert_eq!(mail.headers["auto-submitted"], "auto-generated");
        assert!(mail.headers["message-id"].ends_with("@workdesk.example>"));
        for header in ["bcc", "list-unsubscribe"] {
            assert!(!mail.headers.contains_key(header), "{:?}", mail.headers);
        }
        for picture in ["<img", "src=", "<b>"] {
            assert!(!mail.html.contains(picture), "{}", mail.html);
        }
    }
}

#[tokio::test]
async fn a_dead_link_is_not_sent() {
    let api = Api::start().await;
    let letter = Letter::PasswordReset {
        username: "mia".to_owned(),
        link: api.links().issue(),
        expires_at: api.clock.now().plus(span::MINUTE),
    };
    api.has_mails([(None, "mia@example.com", letter)])
        .await;
    let receiver = MailReceiver::start().unwrap();
    api.sends_mails(&receiver).await;
    assert_eq!(receiver.inbox().newest_first(), []);
    assert_eq!(json!(api.mail_states().await)["mia@example.com"], "dropped");
}
