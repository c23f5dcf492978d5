//! Ids: positive integers up to 2^53-1, which every JSON client holds exactly. An id is unique among
//! the records of its kind in all organizations, and is never reused.

/// A type of id, in bodies and paths.
pub trait Id: Copy + Sized + Send + Sync + 'static {
    /// The record that the id names, for messages: `task`.
    const NOUN: &'static str;

    /// Returns the id with this number, if it is from 1 to [`MAX_ID`](crate::MAX_ID).
    fn new(number: i64) -> Option<Self>;

    fn get(self) -> i64;
}

/// Declares a type of id, with the noun of its records and the noun's article.
macro_rules! id {
    ($(#[$doc:meta])+ $name:ident = $article:literal $noun:expr) => {
        $(#[$doc])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(i64);

        impl crate::Id for $name {
            const NOUN: &'static str = $noun;

            fn new(number: i64) -> Option<Self> {
                (1..=crate::MAX_ID).contains(&number).then_some(Self(number))
            }

            fn get(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl crate::input::Component for $name {
            fn parse(
                value: &serde_json::Value,
                place: &mut crate::input::Place<'_>,
            ) -> crate::input::Reading<Self> {
                crate::integer::integer(value, place, 1, crate::MAX_ID).map(Self)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> crate::input::Schema {
                let about = format!("Names {} {}.", $article, <Self as crate::Id>::NOUN);
                crate::integer::integer_schema(1, crate::MAX_ID)
                    .description(Some(about))
                    .examples([1])
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use id;
