//! One declaration of each record of the table: its kind, its keys, and what else the table knows of it.

/// Declares the [`Record`](table::Record) of a type, for which a name stands in the clauses.
///
/// | clause | meaning |
/// |---|---|
/// | `name: Type = kind,` | the attribute `kind` of its items |
/// | `number_sets: […],` | its sets of numbers |
/// | `long_text: …,` | its long text |
/// | `key: …,` | its key in the table |
/// | `gsi1: …,` to `gsi4: …,` | its key in an index, if that index has it |
/// | `words: …,` | the words by which lists search it |
/// | `expires_at: …,` | the second since the Unix epoch from which the table may delete it |
macro_rules! record {
    (
        $record:ident: $type:ty = $kind:expr,
        $(number_sets: $sets:expr,)?
        $(long_text: $text:expr,)?
        key: $key:expr,
        $(gsi1: $gsi1:expr,)?
        $(gsi2: $gsi2:expr,)?
        $(gsi3: $gsi3:expr,)?
        $(gsi4: $gsi4:expr,)?
        $(words: $words:expr,)?
        $(expires_at: $expires_at:expr,)?
    ) => {
        impl $crate::table::Record<$crate::records::Workdesk> for $type {
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
    };
}

pub(crate) use record;
