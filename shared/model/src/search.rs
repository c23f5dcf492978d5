//! The search for records, and the search for a service request's reference.

use serde_json::Value;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::Type};

use super::{AnyOf, Cursor, FaultCode, ProjectId, ReferenceType, SearchText, SearchedType};
use crate::{
    input,
    input::{Field, Form, Place, Reading},
    integer::{integer, integer_schema},
    words::words,
};

input! {
    /// A search among the records that a service request may refer to.
    pub struct ReferenceSearch {
        /// Words, each of which must begin a word of the title, without regard to case and accents.
        /// Without any word, the 20 most recent records are listed.
        query: Option<SearchText>,
        /// Only records of this type.
        r#type: Option<ReferenceType>,
    }
}

input! {
    /// A search among the records of an organization.
    pub struct SearchQuery {
        /// Words, each of which must begin a word of the record's title, description or content, without
        /// regard to case and accents. A number, with or without `#`, also finds the record with that id.
        query: SearchWords,
        r#type: Option<AnyOf<SearchedType>>,
        /// The projects of the records. Comments and messages, service requests and tickets have none.
        project_id: Option<AnyOf<ProjectId>>,
        /// The most rows; 20 without it.
        limit: Option<SearchLimit>,
        /// The start of the page, from the `Link` header of the page before.
        cursor: Option<Cursor>,
    }
}

/// The different words of a search, at least one, in at most 255 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchWords(Vec<String>);

/// The most rows of an answer: 1 to 50.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimit(usize);

impl SearchQuery {
    pub fn most(&self) -> usize {
        self.limit.map_or(20, |limit| limit.0)
    }

    pub fn types(&self) -> &[SearchedType] {
        let types = self.r#type.as_ref();
        types.map_or(SearchedType::ALL, |types| &types.0)
    }
}

impl SearchWords {
    /// The words, the longest first, which are likely to be rare.
    pub fn longest_first(&self) -> &[String] {
        &self.0
    }

    /// The words of a text. 400 unless there is one, in at most 255 characters.
    fn read_text(text: &str, place: &mut Place<'_>) -> Reading<Self> {
        if let Err(wrong) = Form::Text.check(text, 1, SearchText::MOST) {
            return place.must(wrong.code(), wrong);
        }
        let mut all: Vec<String> = words(text).collect();
        all.sort_unstable();
        all.dedup();
        all.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        if all.is_empty() {
            return place.must(FaultCode::Pattern, "have a letter or a digit");
        }
        Some(Self(all))
    }
}

impl Field for SearchWords {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        match value {
            Value::String(text) => Self::read_text(text, place),
            other => place.wrong(other, "a string"),
        }
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(SearchText::MOST))
            // The letters of other scripts than Latin are too many to spell out.
            .pattern(Some(r"[A-Za-z0-9]|[^\u0000-\u007F]"))
            .examples(["invoice"])
            .into()
    }
}

impl SearchLimit {
    const LEAST: i64 = 1;
    const MOST: i64 = 50;
}

impl Field for SearchLimit {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let number = integer(value, place, Self::LEAST, Self::MOST)?;
        usize::try_from(number).ok().map(Self)
    }

    fn field_schema() -> RefOr<Schema> {
        integer_schema(Self::LEAST, Self::MOST).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::parse_query;

    fn searched(query: &str) -> Result<Vec<String>, Vec<crate::Fault>> {
        let sent = [("query".to_owned(), query.to_owned())];
        parse_query::<SearchQuery>(sent, Vec::new()).map(|read| read.query.0)
    }

    #[test]
    fn the_longest_word_comes_first_and_each_once() {
        assert_eq!(searched("a Bill #17 bill").unwrap(), ["bill", "17", "a"]);
    }

    #[test]
    fn a_query_has_a_word() {
        let long = "x".repeat(256);
        for (query, code) in [
            ("", FaultCode::Blank),
            (" \n", FaultCode::Blank),
            ("# - !", FaultCode::Pattern),
            (long.as_str(), FaultCode::Length),
        ] {
            let faults = searched(query).unwrap_err();
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert_eq!(
                (faults[0].pointer.as_str(), faults[0].code),
                ("?query", code)
            );
        }
        let faults = parse_query::<SearchQuery>([], Vec::new()).unwrap_err();
        assert_eq!(faults[0].code, FaultCode::Required);
    }
}
