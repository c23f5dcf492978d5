//! Short forms of records, as parts of others.

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

pub(crate) use short_form;
