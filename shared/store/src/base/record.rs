//! One declaration of each record of the table: its kind, its keys, and what else the table knows
//! of it.

/// Declares the [`Record`](table::Record) of a type, for which a name stands in the clauses.
///
/// | clause | meaning |
/// |---|---|
/// | `name: Type = kind,` | the attribute `kind` of its items |
/// | `name: Type, id: Id,` | its id, by which alone it is kept: kind and key follow |
/// | `key: …,` | its key in the table |
/// | `number_sets: […],` | its sets of numbers |
/// | `long_text: …,` | its long text |
/// | `gsi1: …,` to `gsi4: …,` | its key in an index, if that index has it |
/// | `words: …,` | the words by which lists search it |
/// | `expires_at: …,` | the second since the Unix epoch from which the table may delete it |
/// | `hidden: […],` | the fields that [answers](crate::base::Answered) leave out |
macro_rules! record {
    ($record:ident: $type:ty, id: $id:ty, $($clauses:tt)*) => {
        impl $crate::key::Keyed for $id {
            type Record = $type;
        }

        $crate::base::record::record! {
            $record: $type = <$id as ::model::base::RecordId>::TYPE.name(),
            key: $crate::key::Keyed::key($record.id, $record.organization_id),
            $($clauses)*
        }
    };
    (
        $record:ident: $type:ty = $kind:expr,
        key: $key:expr,
        $(number_sets: $sets:expr,)?
        $(long_text: $text:expr,)?
        $(gsi1: $gsi1:expr,)?
        $(gsi2: $gsi2:expr,)?
        $(gsi3: $gsi3:expr,)?
        $(gsi4: $gsi4:expr,)?
        $(words: $words:expr,)?
        $(expires_at: $expires_at:expr,)?
        $(hidden: $hidden:expr,)?
    ) => {
        impl $crate::table::Record<$crate::base::records::Workdesk> for $type {
            const KIND: &'static str = $kind;
            $(const NUMBER_SETS: &'static [&'static str] = &$sets;)?
            $(const LONG_TEXT: Option<$crate::table::LongText> = Some($text);)?

            fn key(&self) -> $crate::key::Key<Self> {
                let $record = self;
                $key
            }

            $(fn gsi1(&self) -> Option<$crate::key::Key<Self, $crate::key::Gsi1>> {
                let $record = self;
                $gsi1
            })?

            $(fn gsi2(&self) -> Option<$crate::key::Key<Self, $crate::key::Gsi2>> {
                let $record = self;
                $gsi2
            })?

            $(fn gsi3(&self) -> Option<$crate::key::Key<Self, $crate::key::Gsi3>> {
                let $record = self;
                $gsi3
            })?

            $(fn gsi4(&self) -> Option<$crate::key::Key<Self, $crate::key::Gsi4>> {
                let $record = self;
                $gsi4
            })?

            $(fn words(&self) -> Option<String> {
                let $record = self;
                $words
            })?

            $(fn expires_at(&self) -> Option<i64> {
                let $record = self;
                $expires_at
            })?
        }

        $(impl $crate::base::Answered for $type {
            const HIDDEN: &'static [&'static str] = &$hidden;
        })?
    };
}

pub(crate) use record;

/// The keys of items of several types.
macro_rules! any_keys {
    ($($key:expr),* $(,)?) => { [$($crate::table::AnyKey::from($key)),*] };
}

pub(crate) use any_keys;
