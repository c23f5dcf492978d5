//! `GET` and `POST /api/notifications/unsubscribe`, and the mails that have its link.

use local::mail_receiver::MailReceiver;
use serde_json::{Value, json};
use tests::support::{Api, Caller, creates, patches};

const PATH: &str = "/api/notifications/unsubscribe";

/// Mia has an address, and max has a task.
struct World {
    api: Api,
    max: Caller,
    mia: Caller,
    receiver: MailReceiver,
}

impl World {
    async fn start() -> Self {
        let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
        api.has_address("mia", "mia@example.com")
            .await;
        creates!(max, "/api/tasks", {"title": "Compare", "projectId": 1});
        Self {
            api,
            max,
            mia,
            receiver: MailReceiver::start().unwrap(),
        }
    }

    /// Has max mention mia in a comment with this text.
    async fn mention(&self, text: &str) {
        creates!(self.max, "/api/tasks/1/comments", {"content": format!("@mia {text}")});
        self.api.publishes().await;
    }

    /// Handles all that is due. Returns the number of mails that came.
    async fn sends(&self) -> usize {
        let before = self
            .receiver
            .inbox()
            .newest_first()
            .len();
        self.api
            .sends_mails(&self.receiver)
            .await;
        self.receiver
            .inbox()
            .newest_first()
            .len()
            - before
    }
}

#[tokio::test]
async fn a_minute_of_notifications_is_one_mail_with_one_click_to_end_it() {
    let world = World::start().await;
    let World { api, max, mia, .. } = &world;
    world.mention("see <b>this</b>").await;
    world.mention("and that").await;
    // A kind that is not mailed.
    patches!(max, "/api/tasks/1", {"assigneeId": mia.user});
    api.publishes().await;
    assert_eq!(world.sends().await, 1);
    let mail = world
        .receiver
        .inbox()
        .newest_first()
        .remove(0);
    assert_eq!(mail.to, ["mia@example.com"]);
    let holds = mail
        .subject
        .starts_with("2 notifications of ");
    assert!(holds, "{}", mail.subject);
    for text in ["> @mia see <b>this</b>", "> @mia and that", "/#/tasks/1"] {
        assert!(mail.text.contains(text), "{text}: {}", mail.text);
    }
    let holds = mail
        .html
        .contains("see &lt;b&gt;this&lt;/b&gt;");
    assert!(holds, "{}", mail.html);
    assert!(!mail.text.contains("Assigned"), "{}", mail.text);

    let one_click = "List-Unsubscribe=One-Click";
    assert_eq!(mail.headers["list-unsubscribe-post"], one_click);
    let link = &mail.headers["list-unsubscribe"];
    let (_, path) = link
        .trim_matches(['<', '>'])
        .split_once("/api/")
        .unwrap();
    let path = format!("/api/{path}");
    let program = api.anonymous();
    let program = program.with_header("content-type", "application/x-www-form-urlencoded");
    let answer = program
        .send("POST", &path, Some(one_click.to_owned()))
        .await;
    answer.expect(204);
    program
        .send("POST", &path, None)
        .await
        .expect(204);
    let preferences = mia
        .reads("/api/notifications/preferences")
        .await;
    let channels = |mail| json!({"inbox": true, "mail": mail});
    assert_eq!(preferences["mentioned"], channels(false));
    assert_eq!(preferences["approval_needed"], channels(true));
    world.mention("once more").await;
    assert_eq!(world.sends().await, 0);
}

/// Mail programs without one click open the link in a browser. Scanners of mails read it.
#[tokio::test]
async fn opening_the_link_changes_nothing_and_leads_to_the_settings() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let link = api
        .links()
        .signed(&format!("1.{}.mentioned", mia.id()));
    let nobody = api.anonymous();
    let before = mia
        .reads("/api/notifications/preferences")
        .await;
    api.counter.take();
    for link in [&*link, "of-nobody"] {
        for method in ["GET", "HEAD"] {
            let path = format!("{PATH}?link={link}");
            let answer = nobody.send(method, &path, None).await;
            assert_eq!(answer.status, 302, "{method}: {}", answer.text);
            assert_eq!(answer.header("location"), Some("/#/settings/notifications"));
            assert_eq!(answer.header("set-cookie"), None);
            assert_eq!(answer.text, "");
        }
    }
    assert_eq!(api.counter.take().total, 0);
    let after = mia
        .reads("/api/notifications/preferences")
        .await;
    assert_eq!(before, after);
}

#[tokio::test]
async fn only_a_verified_address_of_an_enabled_user_gets_mails() {
    let world = World::start().await;
    let World { api, mia, .. } = &world;
    let ada = api.sign_in("ada").await;
    let path = format!("/api/users/{}", mia.user.unwrap());
    world
        .mention("before the address changes")
        .await;
    patches!(ada, &path, {"email": "other@example.com"});
    // The former address is told of the change.
    assert_eq!(world.sends().await, 1);
    let mail = world
        .receiver
        .inbox()
        .newest_first()
        .remove(0);
    assert_eq!(mail.subject, "The address of mia was changed");
    world
        .mention("without a verified address")
        .await;
    assert_eq!(world.sends().await, 0);
    api.has_address("mia", "mia@example.com")
        .await;
    world
        .mention("before the user is disabled")
        .await;
    patches!(ada, &path, {"disabled": true});
    assert_eq!(world.sends().await, 0);
}

#[tokio::test]
async fn a_link_that_the_service_did_not_sign_is_refused() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let of_another = api
        .links()
        .signed("1.2.assigned")
        .replacen("1.2", "1.3", 1);
    let of_no_kind = api.links().signed("1.2.none");
    for link in [&*of_another, "x", &*of_no_kind] {
        let answer = nobody
            .send("POST", &format!("{PATH}?link={link}"), None)
            .await;
        answer.expect_problem(403, "link_invalid");
    }
    let without: Value = nobody
        .send("POST", PATH, None)
        .await
        .expect(400);
    assert_eq!(without["errors"][0]["pointer"], "?link");
}
