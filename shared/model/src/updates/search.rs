//! The search for records, and the search for a service request's reference.

use crate::{
    base::{AnyOf, Cursor, ProjectId, ReferenceType, SearchText, SearchWords, SearchedType, Whole},
    input,
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

    /// A search among the records of an organization.
    pub struct SearchQuery {
        /// Words, each of which must begin a word of the record's title, description or content,
        /// without regard to case and accents. A number, with or without `#`, also finds the record
        /// with that id.
        query: SearchWords,
        r#type: Option<AnyOf<SearchedType>>,
        /// The projects of the records. Comments and messages, service requests and tickets have
        /// none.
        project_id: Option<AnyOf<ProjectId>>,
        /// The most rows; 20 without it.
        limit: Option<Whole<1, 50>>,
        /// The start of the page, from the `Link` header of the page before.
        cursor: Option<Cursor>,
    }
}

impl SearchQuery {
    pub fn most(&self) -> usize {
        self.limit.map_or(20, Whole::count)
    }

    pub fn types(&self) -> &[SearchedType] {
        let types = self.r#type.as_ref();
        types.map_or(SearchedType::ALL, |types| &types.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FaultCode, input::parse_query};

    fn searched(query: &str) -> Result<Vec<String>, Vec<crate::base::Fault>> {
        let sent = [("query".to_owned(), query.to_owned())];
        parse_query::<SearchQuery>(sent, Vec::new()).map(|read| read.query.longest_first().to_vec())
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
            assert_eq!(faults[0].pointer.as_str(), "?query");
            assert_eq!(faults[0].code, code);
        }
        let faults = parse_query::<SearchQuery>([], Vec::new()).unwrap_err();
        assert_eq!(faults[0].code, FaultCode::Required);
    }
}
