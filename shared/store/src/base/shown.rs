//! Records as answers: all fields but those that only the table needs, and the version unless it is
//! hidden.

mod fields;

use std::{borrow::Cow, ops::Deref};

use model::base::input::{Schema, described};
use serde::{Serialize, Serializer, ser::SerializeMap};
use table::Stored;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        self, RefOr,
        schema::{ObjectBuilder, Type},
    },
};

use crate::{
    Result,
    base::scope::{InScope, Unplaced},
};

use self::fields::Fields;

pub trait Answered: Serialize + ToSchema {
    /// Fields that answers leave out, by their names in JSON. A view may show them in another form.
    const HIDDEN: &'static [&'static str];

    /// Returns true unless the version is hidden.
    fn has_version() -> bool {
        !Self::HIDDEN.contains(&VERSION)
    }
}

pub trait Versioned {
    /// The version of the record, which every write raises. Joined records do not change it.
    fn version(&self) -> i64;
}

/// A record as answers show it.
#[derive(Clone, Debug)]
pub struct Shown<R>(Stored<R>);

impl<R: Unplaced> From<Stored<R>> for Shown<R> {
    fn from(stored: Stored<R>) -> Self {
        Self(stored)
    }
}

impl<R> From<InScope<R>> for Shown<R> {
    fn from(seen: InScope<R>) -> Self {
        Self(seen.into_stored())
    }
}

impl<R> Shown<R> {
    /// Creates the answer of a part of a record, which hides its version.
    pub const fn part(part: R) -> Self {
        Self(Stored::unwritten(part))
    }
}

impl<R> Versioned for Shown<R> {
    fn version(&self) -> i64 {
        self.0.version
    }
}

impl<R> Deref for Shown<R> {
    type Target = Stored<R>;

    fn deref(&self) -> &Stored<R> {
        &self.0
    }
}

impl<R: Answered> Serialize for Shown<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0
            .record
            .serialize(Fields::new(&mut map, R::HIDDEN))?;
        if R::has_version() {
            map.serialize_entry(VERSION, &self.0.version)?;
        }
        map.end()
    }
}

impl<R: Answered> PartialSchema for Shown<R> {
    fn schema() -> Schema {
        let mut schema = R::schema();
        if let RefOr::T(openapi::Schema::Object(object)) = &mut schema {
            for hidden in R::HIDDEN {
                object.properties.remove(*hidden);
            }
            object
                .required
                .retain(|name| !R::HIDDEN.contains(&name.as_str()));
            if R::has_version() {
                let version = ObjectBuilder::new().schema_type(Type::Integer);
                let version = described(version.into(), &["Raised by every write."]);
                object
                    .properties
                    .insert(VERSION.to_owned(), version);
                object.required.push(VERSION.to_owned());
            }
        }
        schema
    }
}

impl<R: Answered> ToSchema for Shown<R> {
    fn name() -> Cow<'static, str> {
        R::name()
    }

    fn schemas(schemas: &mut Vec<(String, Schema)>) {
        R::schemas(schemas);
    }
}

const VERSION: &str = "version";

/// Implements [`Versioned`] for views with a field `version`, or with a part that has one.
#[macro_export]
macro_rules! versioned {
    ($($view:ty $(: $part:ident)?),* $(,)?) => {
        $($crate::versioned!(@one $view $(: $part)?);)*
    };
    (@one $view:ty) => {
        impl $crate::base::Versioned for $view {
            fn version(&self) -> i64 {
                self.version
            }
        }
    };
    (@one $view:ty: $part:ident) => {
        impl $crate::base::Versioned for $view {
            fn version(&self) -> i64 {
                $crate::base::Versioned::version(&self.$part)
            }
        }
    };
}
