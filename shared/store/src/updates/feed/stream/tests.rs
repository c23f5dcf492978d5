use serde_json::{Map, json};

use super::*;

/// An image with attributes in DynamoDB's JSON.
fn image(kind: &str, version: i64, more: Value) -> Image {
    let mut image = json!({
        "pk": {"S": "ORG#1#X"}, "sk": {"S": "0000000000000007"},
        "kind": {"S": kind}, "id": {"N": "7"}, "organizationId": {"N": "1"},
        "version": {"N": version.to_string()}, "writeId": {"S": format!("w{version}")},
        "updatedAt": {"S": format!("2026-01-15T12:00:0{version}.000Z")},
        "writtenBy": {"M": {"userId": {"N": "3"}, "tokenId": {"N": "9"}}},
    });
    let (Value::Object(image), Value::Object(more)) = (&mut image, more) else {
        panic!("no object");
    };
    image.extend(more);
    image.clone()
}

#[expect(clippy::needless_pass_by_value, reason = "images are made in place")]
fn delivered(old: Option<Image>, new: Option<Image>) -> StreamRecord {
    let images = json!({"dynamodb": {
        "ApproximateCreationDateTime": 1_768_478_400.25, "SequenceNumber": "000001",
        "OldImage": old, "NewImage": new,
    }});
    serde_json::from_value(images).unwrap()
}

fn entry(old: Option<Image>, new: Option<Image>) -> Option<FeedEntry> {
    let change = delivered(old, new).change().unwrap()?;
    assert_eq!(change.organization_id.get(), 1);
    Some(change.entry)
}

#[test]
fn a_new_record_is_created_by_its_author() {
    let task = json!({"projectId": {"N": "5"}, "title": {"S": "Draft"}});
    let task = image("task", 1, task);
    let created = json!({
        "type": "task", "recordId": 7, "parent": {"type": "project", "recordId": 5},
        "action": "created", "version": 1, "at": "2026-01-15T12:00:00.250Z", "actor": 3,
        "writeId": "w1", "projectId": 5,
    });
    assert_eq!(json!(entry(None, Some(task))), created);
}

#[test]
fn an_update_names_the_fields_that_differ() {
    let old = json!({
        "title": {"S": "Draft"}, "description": {"S": "x"}, "tagIds": {"NS": ["2", "1"]},
        "order": {"N": "1"}, "gsi1sk": {"S": "1"},
    });
    let new = json!({
        "title": {"S": "Final"}, "milestoneId": {"N": "4"}, "tagIds": {"NS": ["1", "2"]},
        "order": {"N": "2"}, "gsi1sk": {"S": "2"},
    });
    let old = image("task", 1, old);
    let new = image("task", 2, new);
    let updated = entry(Some(old), Some(new)).unwrap();
    assert_eq!(updated.action, FeedAction::Updated);
    assert_eq!(updated.version, Some(2));
    let fields = ["description", "milestoneId", "order", "title"];
    assert_eq!(updated.fields, fields);
}

#[test]
fn a_version_without_a_changed_field_has_an_entry() {
    for (kind, old, new) in [
        (
            "user",
            json!({"sessionEpoch": {"N": "0"}}),
            json!({"sessionEpoch": {"N": "1"}}),
        ),
        // Null and absent are the same.
        ("task", json!({"dueDate": {"NULL": true}}), json!({})),
    ] {
        let old = image(kind, 1, old);
        let new = image(kind, 2, new);
        let updated = entry(Some(old), Some(new)).unwrap();
        assert_eq!((updated.version, updated.fields), (Some(2), vec![]));
    }
}

#[test]
fn at_most_fifty_fields_are_named() {
    let many: Image = (0..60)
        .map(|number| (format!("field{number}"), json!({"N": "1"})))
        .collect();
    let old = image("tag", 1, json!({}));
    let new = image("tag", 2, json!(many));
    assert_eq!(
        entry(Some(old), Some(new))
            .unwrap()
            .fields
            .len(),
        50
    );
}

#[test]
fn a_removed_record_is_deleted_at_the_next_version_by_an_unknown_actor() {
    let tag = image("tag", 4, json!({}));
    let deleted = json!({
        "type": "tag", "recordId": 7, "action": "deleted", "version": 5,
        "at": "2026-01-15T12:00:00.250Z",
    });
    assert_eq!(json!(entry(Some(tag), None)), deleted);
}

#[test]
fn a_deleted_comment_stays_in_its_thread_and_is_deleted_once() {
    let sound = json!({"taskId": {"N": "5"}, "content": {"S": "x"}});
    let sound = image("comment", 1, sound);
    let at = json!({"S": "2026-01-15T12:00:00.000Z"});
    let gone = image("comment", 2, json!({"taskId": {"N": "5"}, "deletedAt": at}));
    let deleted = entry(Some(sound.clone()), Some(gone.clone())).unwrap();
    assert_eq!(deleted.action, FeedAction::Deleted);
    assert_eq!(deleted.version, Some(2));
    assert_eq!(deleted.actor.map(Id::get), Some(3));
    assert!(deleted.fields.is_empty());
    assert_eq!(entry(Some(gone), None), None);
    let removed = entry(Some(sound), None).unwrap();
    assert_eq!((removed.version, removed.actor), (Some(2), None));
}

#[test]
fn records_name_their_parents() {
    for (kind, attribute, parent) in [
        ("task", "projectId", Some("project")),
        ("milestone", "projectId", Some("project")),
        ("phase", "projectId", Some("project")),
        ("activity", "projectId", Some("project")),
        ("comment", "taskId", Some("task")),
        ("comment", "activityId", Some("activity")),
        ("comment", "serviceRequestId", Some("service_request")),
        ("ticket_message", "ticketId", Some("ticket")),
        ("agent_session", "alertId", None),
    ] {
        let mut more = Map::new();
        more.insert(attribute.to_owned(), json!({"N": "5"}));
        let created = entry(None, Some(image(kind, 1, more.into()))).unwrap();
        let named = created
            .parent
            .map(|parent| (parent.kind.name(), parent.record_id));
        let expected = parent.map(|parent| (parent, 5));
        assert_eq!(named, expected, "{kind} {attribute}");
        let project = (attribute == "projectId").then_some(5);
        assert_eq!(created.project_id.map(Id::get), project, "{kind}");
    }
    let project = entry(None, Some(image("project", 1, json!({})))).unwrap();
    assert_eq!(project.project_id.map(Id::get), Some(7));
}

#[test]
fn an_action_is_a_part_of_its_session() {
    let action = |version: i64, state: &str, token: &str| {
        let image = json!({
            "kind": {"S": "agent_action"}, "organizationId": {"N": "1"},
            "sessionId": {"N": "7"}, "actionId": {"S": "action-1"},
            "version": {"N": version.to_string()}, "state": {"S": state},
            "token": {"N": token}, "schedule": {"M": {"dueAt": {"S": token}}},
            "journal": {"M": {"seq": {"N": token}}},
        });
        serde_json::from_value::<Image>(image).unwrap()
    };
    let new = action(1, "pending", "0");
    let claimed = action(2, "executing", "1");
    let updated = json!({
        "type": "agent_session", "recordId": 7, "action": "updated", "part": "action-1@2",
        "fields": ["actions"], "at": "2026-01-15T12:00:00.250Z",
    });
    let first = entry(None, Some(new.clone())).unwrap();
    let second = entry(Some(new), Some(claimed.clone())).unwrap();
    assert_eq!(json!(second), updated);
    assert!(!first.is_of_same_change(&second));
    let scheduled = action(3, "executing", "2");
    assert_eq!(entry(Some(claimed), Some(scheduled)), None);
}

#[test]
fn other_items_have_no_entry() {
    for kind in [
        "session",
        "account",
        "cleanup",
        "history_entry",
        "feed_batch",
        "",
    ] {
        let other = Image::from_iter([("kind".to_owned(), json!({"S": kind}))]);
        assert_eq!(entry(None, Some(other)), None, "{kind}");
    }
    assert_eq!(entry(None, Some(Image::new())), None);
    assert_eq!(entry(None, None), None);
}

#[test]
fn an_unreadable_image_is_named_by_its_key_alone() {
    let mut damaged = image("task", 1, json!({"title": {"S": "secret"}}));
    damaged.insert("id".to_owned(), json!({"S": "secret"}));
    let error = delivered(None, Some(damaged))
        .change()
        .unwrap_err();
    let expected = "the image of ORG#1#X 0000000000000007 does not read";
    assert_eq!(error.to_string(), expected);
}

/// Neither has a write of its own: the item of a removed record is that of before, and a copy has
/// no request.
#[test]
fn a_removed_record_and_a_copy_name_no_write() {
    let task = image("task", 1, json!({"projectId": {"N": "5"}}));
    let removed = entry(Some(task.clone()), None).unwrap();
    assert_eq!(
        (removed.action, removed.write_id),
        (FeedAction::Deleted, None)
    );
    let copied = json!({"projectId": {"N": "5"}, "writeId": {"S": COPIED}});
    let replayed = entry(None, Some(image("task", 1, copied))).unwrap();
    assert_eq!(replayed.write_id, None);
    assert_eq!(
        entry(None, Some(task))
            .unwrap()
            .write_id
            .as_deref(),
        Some("w1")
    );
}
