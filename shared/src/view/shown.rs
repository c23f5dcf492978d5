//! Records as answers: all fields but those that only the table needs, and the version.

use std::borrow::Cow;

use agent::{AgentPolicy, Alert};
use model::{
    Activity, Milestone, Organization, Phase, Project, ServiceRequest, Tag, Task, Ticket,
    input::{Schema, described},
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use store::Stored;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        self, RefOr,
        schema::{ObjectBuilder, Type},
    },
};

use super::fields::Fields;
use crate::http::Versioned;

/// A record that answers show.
pub trait Record: Serialize + ToSchema {
    /// Fields that answers leave out, by their names in JSON. A view may show them in another form.
    const HIDDEN: &'static [&'static str];
}

macro_rules! hide {
    ($($record:ident [$($field:literal),*])*) => {$(
        impl Record for $record {
            const HIDDEN: &'static [&'static str] = &[$($field),*];
        }
    )*};
}

hide! {
    AgentPolicy ["organizationId"]
    Alert ["organizationId", "recurrence"]
    Activity ["metadata", "evidence", "tagIds"]
    Milestone ["organizationId"]
    Organization []
    Phase ["organizationId", "createdAt", "updatedAt"]
    Project ["organizationId"]
    ServiceRequest ["organizationId", "metadata", "agentAction", "resolvedAt"]
    Tag ["organizationId", "createdAt", "updatedAt"]
    Task ["tagIds"]
    Ticket ["organizationId", "resolvedAt"]
}

/// A record as answers show it.
#[derive(Clone, Debug)]
pub struct Shown<R>(Stored<R>);

impl<R> From<Stored<R>> for Shown<R> {
    fn from(stored: Stored<R>) -> Self {
        Self(stored)
    }
}

impl<R> Versioned for Shown<R> {
    fn version(&self) -> i64 {
        self.0.version
    }
}

impl<R: Record> Serialize for Shown<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.record.serialize(Fields::new(&mut map, R::HIDDEN))?;
        map.serialize_entry(VERSION, &self.0.version)?;
        map.end()
    }
}

impl<R: Record> PartialSchema for Shown<R> {
    fn schema() -> Schema {
        let mut schema = R::schema();
        if let RefOr::T(openapi::Schema::Object(object)) = &mut schema {
            for hidden in R::HIDDEN {
                object.properties.remove(*hidden);
            }
            object
                .required
                .retain(|name| !R::HIDDEN.contains(&name.as_str()));
            let version = ObjectBuilder::new().schema_type(Type::Integer);
            let version = described(version.into(), &["Raised by every write."]);
            object.properties.insert(VERSION.to_owned(), version);
            object.required.push(VERSION.to_owned());
            for example in &mut object.examples {
                example[VERSION] = 1.into();
            }
        }
        schema
    }
}

impl<R: Record> ToSchema for Shown<R> {
    fn name() -> Cow<'static, str> {
        R::name()
    }

    fn schemas(all: &mut Vec<(String, Schema)>) {
        R::schemas(all);
    }
}

const VERSION: &str = "version";
