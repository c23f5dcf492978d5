//! The messages of errors: one table over several operations.

use serde_json::json;
use tests::support::{Api, refused, shows};

#[tokio::test]
async fn a_message_names_the_field_and_what_to_send() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    ada.creates_task(json!({})).await;
    let cases = [
        (
            "POST",
            "/api/tasks",
            r#"{"title": "x", "projectId": 1, "status": "To Do"}"#,
            "\"To Do\" is not a status. Send one of: backlog, todo, in_progress, in_review, blocked, done, \
             cancelled.",
        ),
        (
            "GET",
            "/api/tasks?priority=low,p1",
            "",
            "\"p1\" is not a priority. Send one of: low, medium, high, urgent.",
        ),
        (
            "GET",
            "/api/projects/1/milestones?sort=title",
            "",
            "\"title\" is not a sort order. Send `dueDate`.",
        ),
        (
            "GET",
            "/api/tasks?assigneeId=you",
            "",
            "`assigneeId` must be an integer from 1 to 9007199254740991, or `none`, or `me`.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"title": 7}"#,
            "`title` must be a string.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"title": null}"#,
            "`title` cannot be null.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"title": " "}"#,
            "`title` must hold more than white space.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"title": "two\nlines"}"#,
            "`title` must be a single line without control or format characters, such as U+000A.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"order": 1.5}"#,
            "`order` must be an integer from 0 to 9007199254740991.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"dueDate": "2026-01-31T09:30:00"}"#,
            "`dueDate` must have an offset after the time: Z, or for example +01:00.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"dueDate": "2026-01-31"}"#,
            "`dueDate` must have a time and an offset after the day, such as 2026-01-31T09:30:00Z.",
        ),
        (
            "GET",
            "/api/tasks?updatedSince=2026-01-31T09:30:00+01:00",
            "",
            "`updatedSince` must have its + as %2B: a + in a query is a space.",
        ),
        (
            "PATCH",
            "/api/tasks/1",
            r#"{"projectId": 2}"#,
            "`projectId` cannot be changed. Send at least one of: title, description, milestoneId, phaseId, \
             assigneeId, status, priority, dueDate, order.",
        ),
        (
            "PATCH",
            "/api/tasks/reorder",
            r#"{"tasks": [{"id": 1, "order": 1}, 2]}"#,
            "Element 1 of `tasks` must be an object.",
        ),
        (
            "POST",
            "/api/tasks",
            " ",
            "The body is empty. Send a JSON object.",
        ),
        ("POST", "/api/tasks", "[]", "The body must be an object."),
        (
            "POST",
            "/api/tasks",
            "{\n\"title\": \"x\"",
            "The body is incomplete JSON: it ends at line 2, column 12.",
        ),
        (
            "POST",
            "/api/tasks",
            "{\"title\": 'x'}",
            "The body is not JSON, or nested too deep, at line 1, column 11.",
        ),
        (
            "POST",
            "/api/tasks",
            r#"{"title": "x", "projectId": 99999999999999999999}"#,
            "The number 99999999999999999999 does not fit into 64 bits. Send fewer digits or, where any \
             JSON is allowed, a string.",
        ),
        (
            "GET",
            "/api/tasks?cursor=AAAA",
            "",
            "This cursor belongs to another list or other filters. Start without it.",
        ),
        (
            "GET",
            "/api/tags?page=2",
            "",
            "This operation takes the query parameters id, sort, limit, cursor.",
        ),
        (
            "GET",
            "/api/tasks?sort=order",
            "",
            "`sort=order` needs one `projectId`. Without it, send id or -id.",
        ),
    ];
    for (method, path, body, message) in cases {
        let body = (!body.is_empty()).then(|| body.to_owned());
        let answer = ada.send(method, path, body).await;
        let problem = answer.expect_problem(400, "validation_error");
        assert_eq!(problem["detail"], message, "{method} {path}");
    }
}

#[tokio::test]
async fn a_number_beyond_64_bits_is_named_with_its_place() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let body =
        r#"{"type": "note", "description": "x", "projectId": 1, "metadata": {"a": [1, 1e400]}}"#;
    let body = Some(body.to_owned());
    refused!(mia.send("POST", "/api/activities", body).await => [("/metadata/a/1", "precision")]);
}

#[tokio::test]
async fn a_byte_order_mark_is_skipped() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let body = Some("\u{FEFF}{\"name\": \"later\"}".to_owned());
    ada.send("POST", "/api/tags", body)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_text_of_several_lines_keeps_them() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let description = "two\nlines\tand a tab";
    let task = json!({"description": description});
    assert_eq!(ada.creates_task(task).await["description"], description);
}

#[tokio::test]
async fn a_foreign_origin_is_named() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let foreign = mia.with_header("origin", "https://evil.example");
    let answer = foreign
        .post("/api/tags", json!({"name": "x"}))
        .await;
    let problem = answer.expect_problem(403, "cross_site");
    shows!(problem, {"detail": "The origin https://evil.example is not in AllowedOrigins."});
}
