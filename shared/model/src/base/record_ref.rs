//! Records by type and id, in the roles that only some types have. A record of another type does
//! not compile, or does not read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::Value;

use crate::base::{
    AnyOf, Deletion, FeedType, Id, OrNone, ProjectId, RecordFacts, RecordId, RecordPath,
    RecordType, ReferenceId, SubjectType, TagId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordName {
    #[serde(rename = "type")]
    pub kind: FeedType,
    /// The id, unique among records of the type.
    pub record_id: i64,
}

impl RecordName {
    /// Returns the path of the API with the record. None for a record that only lists have.
    pub fn path(self) -> Option<String> {
        let is_single = matches!(self.kind.facts().path, RecordPath::Record(_));
        self.kind
            .path(self.record_id, None)
            .filter(|_| is_single)
    }

    /// Returns the view of the desk that shows the record.
    pub fn view(self) -> String {
        self.kind.view(self.record_id, None)
    }
}

impl<I: RecordId> From<I> for RecordName {
    fn from(id: I) -> Self {
        Self {
            kind: FeedType::of_id::<I>(),
            record_id: id.get(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationSubject {
    #[serde(rename = "type")]
    pub kind: SubjectType,
    /// The id, unique among records of the type.
    pub id: i64,
}

impl NotificationSubject {
    pub fn of(kind: RecordType, id: i64) -> Option<Self> {
        let kind = SubjectType::of(kind)?;
        Some(Self { kind, id })
    }

    /// Returns the path of the API with the record.
    pub fn path(self) -> Option<String> {
        self.kind.path(self.id, None)
    }
}

impl<I: RecordId> From<I> for NotificationSubject {
    fn from(id: I) -> Self {
        Self {
            kind: SubjectType::of_id::<I>(),
            id: id.get(),
        }
    }
}

/// Declares a role: a record by type and id, of the types with these facts.
macro_rules! roles {
    ($($(#[doc = $about:literal])+ $name:ident if |$facts:ident| $has:expr;)+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            kind: RecordType,
            id: ReferenceId,
        }

        impl $name {
            const fn has(kind: RecordType) -> bool {
                let $facts: &RecordFacts = kind.facts();
                $has
            }

            /// Returns the record. `None` for a type without the role, and for no id.
            pub fn of(kind: RecordType, id: i64) -> Option<Self> {
                let id = ReferenceId::new(id).filter(|_| Self::has(kind))?;
                Some(Self { kind, id })
            }

            pub const fn kind(self) -> RecordType {
                self.kind
            }

            pub const fn id(self) -> ReferenceId {
                self.id
            }

            pub fn id_as<I: RecordId>(self) -> Option<I> {
                I::new(self.id.get()).filter(|_| self.kind == I::TYPE)
            }
        }

        impl<I: RecordId> From<I> for $name {
            fn from(id: I) -> Self {
                const { assert!(Self::has(I::TYPE), "a type without the role") }
                Self { kind: I::TYPE, id: id.into() }
            }
        }
    )+};
}

roles! {
    /// A record with a history.
    HistoryOf if |facts| facts.has_history;
    /// A record that the service reminds users of.
    Reminded if |facts| facts.has_reminders;
    /// A record that can carry tags.
    Tagged if |facts| facts.has_tags;
    /// A record that users write comments on.
    Thread if |facts| matches!(facts.thread, Some(RecordType::Comment));
    /// A record that users write comments or messages on.
    Talk if |facts| facts.thread.is_some();
}

/// The ids of the tags of a record, some of which may have been deleted.
pub type CarriedTags = BTreeSet<TagId>;

/// The tags that a filter wants, and `none` for records without tags.
pub type WantedTags = AnyOf<OrNone<TagId>>;

impl Talk {
    /// The thread of comments. `None` for one of messages.
    pub fn thread(self) -> Option<Thread> {
        Thread::of(self.kind, self.id.get())
    }
}

impl From<Thread> for Talk {
    fn from(Thread { kind, id }: Thread) -> Self {
        Self { kind, id }
    }
}

/// A deleted record that leaves work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    pub kind: RecordType,
    pub id: ReferenceId,
    /// The project, if its tasks are to be unlinked.
    pub project: Option<ProjectId>,
}

impl Deleted {
    /// Returns the deleted record. `None` if it leaves no work.
    pub fn of(kind: RecordType, id: i64, project: Option<ProjectId>) -> Option<Self> {
        let project = match kind.facts().deletion {
            Deletion::Nothing => return None,
            Deletion::TasksOfProject => Some(project?),
            Deletion::Comments | Deletion::LinkedTasks | Deletion::Tags => None,
        };
        let id = ReferenceId::new(id)?;
        Some(Self { kind, id, project })
    }

    pub fn thread(self) -> Option<Thread> {
        Thread::of(self.kind, self.id.get())
    }
}

impl<I: RecordId> From<I> for Deleted {
    fn from(id: I) -> Self {
        const {
            let deletion = I::TYPE.facts().deletion;
            let is_one = !matches!(deletion, Deletion::Nothing | Deletion::TasksOfProject);
            assert!(is_one, "a record without work, or with a project");
        }
        Self {
            kind: I::TYPE,
            id: id.into(),
            project: None,
        }
    }
}

/// A record whose deletion leaves the tasks of its project.
impl<I: RecordId> From<(ProjectId, I)> for Deleted {
    fn from((project, id): (ProjectId, I)) -> Self {
        const {
            let is_one = matches!(I::TYPE.facts().deletion, Deletion::TasksOfProject);
            assert!(is_one, "a record without a project");
        }
        Self {
            kind: I::TYPE,
            id: id.into(),
            project: Some(project),
        }
    }
}

fn write<S: Serializer>(to: S, name: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

fn read<'de, D: Deserializer<'de>>(from: D) -> Result<(String, Value), D::Error> {
    let mut map = BTreeMap::<String, Value>::deserialize(from)?;
    let entry = map
        .pop_first()
        .filter(|_| map.is_empty());
    entry.ok_or_else(|| D::Error::custom("a record is a map of one entry"))
}

fn other<E: Error>() -> E {
    E::custom("another record")
}

/// The stored form: `{"task": 17}`.
macro_rules! by_name {
    ($($name:ident),+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                write(to, self.kind.name(), &self.id)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let (name, id) = read(from)?;
                let record = RecordType::named(&name).zip(id.as_i64());
                record.and_then(|(kind, id)| Self::of(kind, id)).ok_or_else(other)
            }
        }
    )+};
}

by_name!(HistoryOf, Reminded);

/// The stored form: `{"taskId": 17}`, also among other attributes.
impl Serialize for Thread {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(to, self.kind.facts().named_by, &self.id)
    }
}

impl<'de> Deserialize<'de> for Thread {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Attributes;

        impl<'de> Visitor<'de> for Attributes {
            type Value = Thread;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record with comments")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Thread, A::Error> {
                let mut thread = None;
                while let Some(name) = map.next_key::<String>()? {
                    let mut kinds = RecordType::ALL.iter().copied();
                    let kind = kinds.find(|kind| kind.facts().named_by == name);
                    if let Some(kind) = kind.filter(|kind| Thread::has(*kind)) {
                        thread = Thread::of(kind, map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                thread.ok_or_else(other)
            }
        }

        from.deserialize_map(Attributes)
    }
}

/// The stored form: `{"thread": {"taskId": 17}}`, and `{"ticket": 17}` of one with messages.
impl Serialize for Talk {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.thread() {
            Some(thread) => write(to, "thread", &thread),
            None => write(to, self.kind.name(), &self.id),
        }
    }
}

impl<'de> Deserialize<'de> for Talk {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (name, value) = read(from)?;
        if name == "thread" {
            let thread = Thread::deserialize(value).map_err(D::Error::custom)?;
            return Ok(thread.into());
        }
        let record = RecordType::named(&name).zip(value.as_i64());
        let talk = record.and_then(|(kind, id)| Self::of(kind, id));
        talk.ok_or_else(other)
    }
}

/// The stored form: `{"Thread": {"taskId": 17}}`, `{"Phase": [2, 4]}` with the project,
/// `{"Tag": 5}`.
impl Serialize for Deleted {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let Some(thread) = self.thread() {
            return write(to, "Thread", &thread);
        }
        let name = format!("{:?}", self.kind);
        match self.project {
            Some(project) => write(to, &name, &(project, self.id)),
            None => write(to, &name, &self.id),
        }
    }
}

impl<'de> Deserialize<'de> for Deleted {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (name, value) = read(from)?;
        let deleted = if name == "Thread" {
            let thread = Thread::deserialize(value).map_err(D::Error::custom)?;
            Self::of(thread.kind, thread.id.get(), None)
        } else {
            let mut kinds = RecordType::ALL.iter().copied();
            let kind = kinds.find(|kind| format!("{kind:?}") == name);
            let of = |kind| match serde_json::from_value(value.clone()) {
                Ok((project, id)) => Self::of(kind, id, Some(project)),
                Err(_) => Self::of(kind, value.as_i64()?, None),
            };
            kind.and_then(of)
        };
        deleted.ok_or_else(other)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::{TaskId, UnlistedKind};

    #[test]
    fn each_subject_has_a_path() {
        for kind in SubjectType::ALL {
            let path = NotificationSubject { kind: *kind, id: 7 }.path();
            let is_one = path.is_some_and(|path| path.starts_with("/api/"));
            assert!(is_one, "{kind:?}");
        }
    }

    #[test]
    fn a_role_is_of_its_types_alone() {
        let thread = Thread::of(RecordType::Task, 7).unwrap();
        assert_eq!(Some(thread), TaskId::new(7).map(Thread::from));
        assert_eq!(Talk::from(thread).thread(), Some(thread));
        assert_eq!(thread.id_as::<TaskId>(), TaskId::new(7));
        assert_eq!(Thread::of(RecordType::Task, 0), None);
        assert_eq!(Thread::of(RecordType::Ticket, 7), None);
        assert!(Talk::of(RecordType::Ticket, 7).is_some_and(|talk| talk.thread().is_none()));
        let read = serde_json::from_value::<HistoryOf>;
        assert!(read(json!({"ticket": 7})).is_ok());
        let others = json!([{"tag": 7}, {"task": 7, "ticket": 7}, {}, "task"]);
        for other in others.as_array().unwrap() {
            assert!(read(other.clone()).is_err(), "{other}");
        }
        assert!(serde_json::from_value::<UnlistedKind>(json!("task")).is_err());
    }

    #[test]
    fn a_deletion_of_a_phase_names_its_project() {
        assert_eq!(Deleted::of(RecordType::Phase, 4, None), None);
        assert_eq!(Deleted::of(RecordType::Project, 4, None), None);
        let read = |value: Value| serde_json::from_value::<Deleted>(value).ok();
        assert!(read(json!({"Phase": [2, 4]})).is_some_and(|deleted| deleted.project.is_some()));
        let others = json!([{"Phase": 4}, {"Project": 4}, {"Thread": {"tagId": 1}}]);
        for other in others.as_array().unwrap() {
            assert_eq!(read(other.clone()), None, "{other}");
        }
    }
}
