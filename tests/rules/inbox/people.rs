//! People whom a text names, and who take part in a thread.

use serde_json::json;
use shared::model::{base::span, people::Role};
use tests::{
    records,
    support::{Api, Caller, Concierge, patches, posts},
};

use super::{comments, reminds, told};

/// A member with this username, signed in.
async fn named(api: &Api, username: &str) -> Caller {
    let mut new = records::user("new", Role::Member, "no hash");
    username.clone_into(&mut new.username);
    let directory = api.store.directory();
    let user = directory
        .create_user(api.home.id, new)
        .await
        .unwrap();
    api.session_of(&user).await
}

#[tokio::test]
async fn a_mention_works_in_every_script_and_an_address_is_none() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({})).await;
    let mut count = 0;
    for (text, is_mention) in [
        ("交给@mia处理", true),
        ("お願いします ＠mia さん", true),
        ("お願いします＠ｍｉａさん", true),
        ("담당자@mia님", true),
        ("ให้@miaทำ", true),
        ("ສົ່ງ@miaແດ່", true),
        ("ផ្ញើ@miaសូម", true),
        ("ကို@miaပို့", true),
        ("@mia和@sue", true),
        ("_@mia_ and", true),
        ("-@mia", true),
        ("* @mia", true),
        ("**@mia**", true),
        ("~~@mia~~", true),
        ("(@mia:)", true),
        ("Done.@mia", true),
        ("@mia's", true),
        ("@mia.", true),
        ("@MIA…", true),
        ("@\u{2068}mia\u{2069} asks", true),
        ("\u{200F}@mia\u{200F}", true),
        ("word\u{200B}@mia\u{200B}word", true),
        ("jose@mia", false),
        ("jose\u{301}@mia", false),
        ("josé@mia", false),
        ("иван@mia", false),
        ("ｊｏｓｅ＠mia", false),
        ("a.b1@mia", false),
        ("@mia@corp.com", false),
        ("@miau", false),
    ] {
        comments(&max, 1, text).await;
        api.publishes().await;
        count += usize::from(is_mention);
        assert_eq!(told(&mia).await.len(), count, "{text}");
    }
}

#[tokio::test]
async fn a_mention_names_the_longest_known_beginning_in_any_form() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let long = named(&api, "田中太郎").await;
    let short = named(&api, "田中太").await;
    let composed = named(&api, "maël").await;
    max.creates_task(json!({})).await;
    comments(&max, 1, "@田中太郎さん、お願いします").await;
    comments(&max, 1, "@mae\u{308}l, @ＭＡËＬ.").await;
    api.publishes().await;
    assert_eq!(told(&long).await.len(), 1);
    assert!(told(&short).await.is_empty());
    assert_eq!(told(&composed).await.len(), 1);
}

#[tokio::test]
async fn who_took_part_once_is_not_forgotten() {
    let (api, [max, mia, sue]) = Api::signed_in(["max", "mia", "sue"]).await;
    max.creates_task(json!({})).await;
    comments(&sue, 1, "First.").await;
    for number in 0..101 {
        comments(&mia, 1, &format!("Report {number}")).await;
    }
    comments(&max, 1, "And now?").await;
    let body = json!({"title": "No invoices", "description": "Since Monday."});
    let ticket = mia
        .creates("/api/managed-services/tickets", body)
        .await;
    let reply = format!("/api/managed-services/ticket/{ticket}/reply");
    // The first message is of the ticket's instant.
    api.clock.advance(span::SECOND);
    sue.posts(&reply, json!({"content": "Soon."}))
        .await;
    for number in 0..101 {
        posts!(mia, &reply, {"content": format!("Report {number}")});
    }
    max.posts(&reply, json!({"content": "And now?"}))
        .await;
    api.publishes().await;
    let notifications = told(&sue).await;
    let of = |subject: &str, by: &str| {
        let rows = notifications
            .iter()
            .filter(|row| row[1] == subject && row[3] == by);
        rows.count()
    };
    assert_eq!((of("task", "mia"), of("task", "max")), (101, 1));
    assert_eq!((of("ticket", "mia"), of("ticket", "max")), (101, 1));
    assert_eq!(api.items_of("participant").await.len(), 6);
}

#[tokio::test]
async fn participants_leave_with_their_thread_and_come_back_by_the_operators_program() {
    let (api, [max, sue]) = Api::signed_in(["max", "sue"]).await;
    max.creates_task(json!({})).await;
    for text in ["First.", "Second."] {
        comments(&sue, 1, text).await;
    }
    let written = api.items_of("participant").await;
    assert_eq!(written.len(), 1);
    // As a table of before has them: none.
    for item in &written {
        api.deletes(item).await;
    }
    api.indexes(api.home.id).await;
    let planned = api.items_of("participant").await;
    assert_eq!(planned.len(), 1);
    assert_eq!(planned[0]["firstId"], written[0]["firstId"]);
    assert_eq!(planned[0]["at"], written[0]["at"]);
    comments(&max, 1, "Third.").await;
    api.publishes().await;
    assert_eq!(told(&sue).await, [json!(["commented", "task", 1, "max"])]);
    max.deletes("/api/tasks/1").await;
    api.cleans_up().await;
    assert!(
        api.items_of("participant")
            .await
            .is_empty()
    );
}

/// A participant of notes hears of no note that they may not read any more.
#[tokio::test]
async fn a_participant_who_sees_no_notes_hears_of_none() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let sue = api.user("sue").await;
    let body = json!({"title": "No invoices", "description": "Since Monday."});
    let ticket = mia
        .creates("/api/managed-services/tickets", body)
        .await;
    let reply = format!("/api/managed-services/ticket/{ticket}/reply");
    let note = json!({"content": "For us.", "internal": true});
    api.session_of(&sue)
        .await
        .posts(&reply, note.clone())
        .await;
    api.gives_role(&sue, Role::Viewer).await;
    max.posts(&reply, note).await;
    api.publishes().await;
    assert!(
        told(&api.session_of(&sue).await)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn the_inbox_shows_a_comment_and_a_description_as_they_are() {
    let (api, [max, vic]) = Api::signed_in(["max", "vic"]).await;
    let secret = "@vic the password is hunter2";
    max.creates_task(json!({"description": secret}))
        .await;
    let comment = comments(&max, 1, secret).await;
    api.publishes().await;
    patches!(max, "/api/tasks/1/comments/{comment}", {"content": "@vic ask me"});
    patches!(max, "/api/tasks/1", {"description": "@vic see the vault"});
    let rows = vic.walk("/api/notifications").await;
    let excerpts = rows
        .iter()
        .map(|row| row["excerpt"].as_str().unwrap());
    let mut excerpts: Vec<_> = excerpts.collect();
    excerpts.sort_unstable();
    assert_eq!(excerpts, ["@vic ask me", "@vic see the vault"]);
}

#[tokio::test]
async fn a_mention_by_edits_notifies_once() {
    let (api, [max, mia, sue]) = Api::signed_in(["max", "mia", "sue"]).await;
    max.creates_task(json!({})).await;
    comments(&mia, 1, "I take part.").await;
    let comment = comments(&max, 1, "Nobody yet.").await;
    let path = format!("/api/tasks/1/comments/{comment}");
    for text in ["@mia?", "No one.", "@mia!", "@mia, @sue", "None.", "@sue"] {
        max.patches(&path, json!({ "content": text }))
            .await;
        patches!(max, "/api/tasks/1", { "description": text });
        api.publishes().await;
    }
    let of = |kind: &str| json!([kind, "task", 1, "max"]);
    let expected = [of("commented"), of("mentioned"), of("mentioned")];
    assert_eq!(told(&mia).await, expected);
    assert_eq!(told(&sue).await, expected[1..]);
}

#[tokio::test]
async fn a_new_assignee_within_the_day_is_told_that_it_is_due_soon() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sweeper = world.sweeper();
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let task = json!({"assigneeId": mia.id(), "dueDate": "2026-01-15T14:00:00Z"});
    mia.creates_task(task).await;
    api.publishes().await;
    assert_eq!(reminds(&sweeper).await, 1);
    for assignee in [&sue, &mia, &sue] {
        patches!(mia, "/api/tasks/1", {"assigneeId": assignee.id()});
        api.publishes().await;
        reminds(&sweeper).await;
    }
    let soon = json!(["due_soon", "task", 1, null]);
    assert!(told(&sue).await.contains(&soon));
    assert_eq!(told(&mia).await, [soon]);
    api.clock.advance(3 * span::HOUR);
    assert_eq!(reminds(&sweeper).await, 1);
}

#[tokio::test]
async fn the_operators_program_plans_the_reminders_of_old_tasks() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sweeper = world.sweeper();
    let mia = api.sign_in("mia").await;
    for day in [16, 17] {
        let task = json!({"assigneeId": mia.id(), "dueDate": format!("2026-01-{day}T11:00:00Z")});
        mia.creates_task(task).await;
    }
    for _ in 0..2 {
        api.indexes(api.home.id).await;
    }
    assert_eq!(reminds(&sweeper).await, 1);
    assert_eq!(told(&mia).await, [json!(["due_soon", "task", 1, null])]);
    assert_eq!(api.items_of("reminder").await.len(), 2);
}
