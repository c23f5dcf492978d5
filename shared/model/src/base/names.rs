//! Enums whose variants are names of the API, and short forms of records.

use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::base::input::{Schema, string};

/// A name of a fixed set, as a client may send it.
pub trait OneOf: DeserializeOwned + ToSchema {
    /// The kind of name, with its article, for messages: `a status`.
    const NOUN: &'static str;
}

/// The schema of an enum: its description and then each name with its meaning.
#[doc(hidden)]
pub fn schema(about: &[&str], names: &[(&'static str, &[&str])]) -> Schema {
    let text = |lines: &[&str]| -> String {
        let lines = lines.iter().map(|line| line.trim());
        lines.collect::<Vec<_>>().join(" ")
    };
    let mut description = text(about);
    description.push('\n');
    for (name, meaning) in names {
        description.extend(["\n- `", name, "`: ", &text(meaning)]);
    }
    string()
        .enum_values(Some(names.iter().map(|(name, _)| *name)))
        .description(Some(description))
        .into()
}

/// Declares enums whose variants the API writes in snake case, with their meanings in the schema.
///
/// The text behind a variant is its meaning; it may be a doc comment before it. `as` gives the
/// schema or a variant another name. `= "a …"` is the [noun](OneOf::NOUN) of an enum that clients
/// send. `= default` marks the default of an enum that derives `Default`.
#[macro_export]
macro_rules! names {
    ($(
        $(#[doc = $about:literal])+
        $(#[derive($derived:ident)])?
        pub enum $name:ident $(as $schema:ident)? $(= $noun:literal)? {
            $($(#[doc = $doc:literal])*
            $variant:ident $(as $written:literal)? $(= $default:ident)? $(: $meaning:literal)?,)+
        }
    )+) => {$(
        $(#[doc = $about])+
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            serde::Serialize,
            serde::Deserialize,
            strum::IntoStaticStr,
            strum::VariantArray,
        )]
        $(#[derive($derived)])?
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case", const_into_str)]
        pub enum $name {
            $(
                $(#[doc = $doc])*
                $(#[doc = $meaning])?
                $(#[serde(rename = $written)] #[strum(serialize = $written)])?
                $(#[$default])?
                $variant,
            )+
        }

        impl $name {
            pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// The name as the API writes it.
            pub const fn name(self) -> &'static str {
                self.into_str()
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> $crate::base::input::Schema {
                $crate::base::names::schema(
                    &[$($about),+],
                    &[$((Self::$variant.name(), &[$($doc,)* $($meaning)?])),+],
                )
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                [$(stringify!($schema),)? stringify!($name)][0].into()
            }
        }

        $(impl $crate::base::names::OneOf for $name {
            const NOUN: &'static str = $noun;
        })?
    )+};
}

/// Declares the short form of a record: some of its fields.
#[macro_export]
macro_rules! short_form {
    ($(#[$about:meta])+ $name:ident of $record:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
        $(#[$about])+
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(pub $field: $type,)+
        }

        impl From<&$record> for $name {
            fn from(record: &$record) -> Self {
                Self { $($field: Clone::clone(&record.$field),)+ }
            }
        }
    };
}

pub(crate) use names;

#[cfg(test)]
mod tests {
    use serde_json::json;
    use strum::VariantArray;

    use crate::{
        base::{Code, FaultCode},
        people::{Permission, Role},
    };

    #[test]
    fn names_are_what_serde_writes() {
        fn check<T: VariantArray + serde::Serialize>(name: impl Fn(&T) -> &'static str) {
            for variant in T::VARIANTS {
                assert_eq!(json!(variant), name(variant));
            }
        }
        check(|code: &Code| code.name());
        check(|code: &FaultCode| code.name());
        check(|permission: &Permission| permission.name());
        check(|role: &Role| role.name());
    }
}
