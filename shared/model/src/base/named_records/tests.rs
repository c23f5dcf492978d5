use serde_json::json;

use crate::base::{
    Deleted, Id, MilestoneId, NotificationSubject, PhaseId, ProjectId, TagId, Talk, TaskId, UserId,
};

use super::*;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Everything {
    creator_id: UserId,
    actor: Option<UserId>,
    tag_ids: Vec<TagId>,
    deleted: Vec<Deleted>,
    talk: Talk,
    subject: NotificationSubject,
    other: serde_json::Value,
    count: i64,
}

fn id<I: Id>(number: i64) -> I {
    I::new(number).unwrap()
}

#[test]
fn each_form_of_an_id_names_its_record() {
    let everything = Everything {
        creator_id: id(1),
        actor: Some(id(2)),
        tag_ids: vec![id(3), id(4)],
        deleted: vec![
            Deleted::from(id::<MilestoneId>(5)),
            Deleted::from((id::<ProjectId>(6), id::<PhaseId>(7))),
            Deleted::from(id::<TaskId>(8)),
        ],
        talk: Talk::of(RecordType::Ticket, 9).unwrap(),
        subject: NotificationSubject::of(RecordType::ServiceRequest, 10).unwrap(),
        other: json!({"type": "user", "id": 11, "user": 12, "userId": 13}),
        count: 14,
    };
    let named = named_records(&everything);
    let named: Vec<_> = named
        .iter()
        .map(|record| (record.kind, record.id, &*record.field))
        .collect();
    let expected = [
        (RecordType::User, 1, "creatorId"),
        (RecordType::User, 2, "actor"),
        (RecordType::Tag, 3, "tagIds"),
        (RecordType::Tag, 4, "tagIds"),
        (RecordType::Milestone, 5, "Milestone"),
        (RecordType::Project, 6, "Phase"),
        (RecordType::Phase, 7, "Phase"),
        (RecordType::Task, 8, "taskId"),
        (RecordType::Ticket, 9, "ticket"),
        (RecordType::ServiceRequest, 10, "id"),
    ];
    assert_eq!(named, expected);
}
