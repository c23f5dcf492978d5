//! Lists in pages: the page that a request asks for, its rows, and the link to the next page.

use std::{collections::BTreeMap, marker::PhantomData};

use ::http::{HeaderValue, StatusCode, Uri, header};

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use model::base::{Cursor, Error, FaultCode, OrganizationId, Part, UserId};

use serde::Serialize;
use store::{ListPosition, Page, PageRequest, Row, base::Versioned};
use utoipa::{ToSchema, openapi::schema::ArrayBuilder};

use crate::{
    auth::Cursors,
    http::{
        operation::{Answer, Description, about},
        problem::invalid,
    },
};

use super::{
    query,
    single::{ETAG, describe_if_none_match, tagged},
};

/// The most bytes of the rows of an answer: 4 MB of the 6 MB that Lambda allows.
const MOST_BYTES: usize = 4_000_000;

/// A page of records.
#[derive(Debug)]
pub struct List<T> {
    /// A JSON array.
    body: Bytes,
    /// The `Link` header; none for the last page.
    next: Option<HeaderValue>,
    of: PhantomData<fn() -> T>,
}

/// A page of records for files and pipes: one per line (NDJSON).
#[derive(Debug)]
pub struct Lines<T>(List<T>);

/// A record that contains a page of others.
#[derive(Debug)]
pub struct Linked<W> {
    body: W,
    /// The `Link` header; none for the last page.
    next: Option<HeaderValue>,
}

/// Links to pages of lists, valid for one caller.
#[derive(Clone, Debug)]
pub struct PageLinks {
    cursors: Cursors,
    tenant: OrganizationId,
    /// The owner of the list, if each user has an own one.
    user: Option<UserId>,
    uri: Uri,
}

/// A list, while its answer is built.
#[derive(Debug)]
pub struct Pages {
    links: PageLinks,
    pub wanted: PageRequest,
}

impl PageLinks {
    pub(crate) const fn new(cursors: Cursors, tenant: OrganizationId, uri: Uri) -> Self {
        Self {
            cursors,
            tenant,
            user: None,
            uri,
        }
    }

    /// Returns links to the lists that belong to a user.
    pub(crate) fn of_user(self, user: UserId) -> Self {
        Self {
            user: Some(user),
            ..self
        }
    }

    /// Returns the page that `part` asks for. 400 unless the cursor belongs to this list, with
    /// these filters, of the caller's organization.
    pub fn pages(self, part: &Part) -> Result<Pages, Error> {
        self.pages_after(
            part.cursor.as_ref(),
            part.limit
                .map(model::base::Limit::count),
        )
    }

    /// As [`pages`](Self::pages), with at most so many rows.
    pub fn pages_after(self, cursor: Option<&Cursor>, rows: Option<usize>) -> Result<Pages, Error> {
        let after = cursor
            .map(|cursor| self.place(cursor))
            .transpose()?;
        let wanted = PageRequest { rows, after };
        Ok(Pages {
            links: self,
            wanted,
        })
    }

    /// Returns the URL of the rows after a place. The path and the filters name the list; they need
    /// no escapes.
    pub fn url(&self, path: &str, filters: &str, after: &ListPosition) -> String {
        let list = self.name(path, filters);
        let cursor = self
            .cursors
            .seal(self.tenant, &list, after);
        let scheme = self.uri.scheme_str().unwrap_or("https");
        let host = self
            .uri
            .authority()
            .map_or("", |host| host.as_str());
        let and = if filters.is_empty() { "" } else { "&" };
        format!("{scheme}://{host}{path}?{filters}{and}cursor={cursor}")
    }

    fn place(&self, cursor: &Cursor) -> Result<ListPosition, Error> {
        let list = self.name(self.uri.path(), self.uri.query().unwrap_or_default());
        let place = self
            .cursors
            .open(self.tenant, &list, cursor.as_str());
        let detail = "This cursor belongs to another list or other filters. Start without it.";
        place.ok_or_else(|| invalid("?cursor", FaultCode::Unknown, detail))
    }

    /// Names a list by its path, its owner and its query without `limit` and `cursor`.
    fn name(&self, path: &str, raw_query: &str) -> String {
        let pairs = query::pairs(raw_query).0.into_iter();
        let mut filters: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in pairs.filter(|(name, _)| !["limit", "cursor"].contains(&&**name)) {
            // No value of a filter has a line break.
            let add = |values: &mut String| *values = format!("{values}\n{value}");
            filters
                .entry(name)
                .and_modify(add)
                .or_insert(value.clone());
        }
        let owner = self
            .user
            .map_or_else(String::new, |user| format!("\n{user}"));
        format!("{path}\n{filters:?}{owner}")
    }
}

impl Pages {
    pub const fn links(&self) -> &PageLinks {
        &self.links
    }

    pub fn answer<R, T: Serialize>(
        &self,
        page: Page<R>,
        view: impl FnMut(R) -> T,
    ) -> Result<List<T>, Error> {
        self.list(Rows::default(), page, view)
    }

    /// Returns a page with one record per line.
    pub fn lines<R, T: Serialize>(
        &self,
        page: Page<R>,
        view: impl FnMut(R) -> T,
    ) -> Result<Lines<T>, Error> {
        self.list(Rows::of_lines(), page, view)
            .map(Lines)
    }

    fn list<R, T: Serialize>(
        &self,
        mut rows: Rows,
        page: Page<R>,
        view: impl FnMut(R) -> T,
    ) -> Result<List<T>, Error> {
        let next = self.fill(&mut rows, page, view, |_| ())?;
        Ok(List {
            body: rows.finish(),
            next,
            of: PhantomData,
        })
    }

    /// Returns a page within another body, which `whole` makes of the rows.
    pub fn answer_within<R, T: Serialize, W>(
        &self,
        page: Page<R>,
        view: impl FnMut(R) -> T,
        whole: impl FnOnce(Vec<T>) -> W,
    ) -> Result<Linked<W>, Error> {
        let mut shown = Vec::with_capacity(page.rows.len());
        let next = self.fill(&mut Rows::default(), page, view, |row| shown.push(row))?;
        let body = whole(shown);
        Ok(Linked { body, next })
    }

    /// Adds the rows that there is room for and passes each to `take`. Returns the link to the rows
    /// after them.
    fn fill<R, T: Serialize>(
        &self,
        rows: &mut Rows,
        page: Page<R>,
        mut view: impl FnMut(R) -> T,
        mut take: impl FnMut(T),
    ) -> Result<Option<HeaderValue>, Error> {
        let mut last = None;
        let mut end = page.end;
        for Row { record, place } in page.rows {
            let row = view(record);
            if !rows.push(&row)? {
                end = last;
                break;
            }
            take(row);
            last = Some(place);
        }
        end.map(|place| self.next(&place))
            .transpose()
    }

    /// Returns the `Link` header to the rows after a place.
    fn next(&self, place: &ListPosition) -> Result<HeaderValue, Error> {
        let uri = &self.links.uri;
        let mut kept: Vec<&str> = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .collect();
        kept.retain(|pair| !pair.is_empty() && query::name(pair).as_deref() != Some("cursor"));
        let url = self
            .links
            .url(uri.path(), &kept.join("&"), place);
        HeaderValue::try_from(format!("<{url}>; rel=\"next\""))
            .map_err(|error| Error::internal("linking a page", error))
    }
}

/// Rows of an answer, up to its limit of bytes.
#[derive(Debug)]
struct Rows {
    json: Vec<u8>,
    /// Their size within the answer.
    bytes: usize,
    most: usize,
    /// True for one row per line, false for an array.
    are_lines: bool,
}

impl Default for Rows {
    fn default() -> Self {
        Self::up_to(MOST_BYTES)
    }
}

impl Rows {
    fn up_to(most: usize) -> Self {
        Self {
            json: vec![b'['],
            bytes: 0,
            most,
            are_lines: false,
        }
    }

    fn of_lines() -> Self {
        Self {
            json: Vec::new(),
            are_lines: true,
            ..Self::default()
        }
    }

    /// Adds a row. Returns false if there is no room; the first row always has room.
    fn push(&mut self, row: &impl Serialize) -> Result<bool, Error> {
        let before = self.json.len();
        let is_first = before <= 1;
        if !is_first && !self.are_lines {
            self.json.push(b',');
        }
        serde_json::to_writer(&mut self.json, row)
            .map_err(|error| Error::internal("writing a row", error))?;
        if self.are_lines {
            self.json.push(b'\n');
        }
        self.bytes += in_answer(&self.json[before..]);
        let fits = self.bytes <= self.most || is_first;
        if !fits {
            self.json.truncate(before);
        }
        Ok(fits)
    }

    fn finish(mut self) -> Bytes {
        if !self.are_lines {
            self.json.push(b']');
        }
        self.json.into()
    }
}

/// Returns the first rows that fit into so many bytes of an answer; at least one.
pub fn fitting<T: Serialize>(rows: Vec<T>, most: usize) -> Vec<T> {
    let mut counted = Rows::up_to(most);
    let fits = |row| matches!(counted.push(&row), Ok(true)).then_some(row);
    rows.into_iter()
        .map_while(fits)
        .collect()
}

/// The size of JSON as a string within the answer of a function.
fn in_answer(json: &[u8]) -> usize {
    let is_escaped = |byte: &u8| u8::from(matches!(byte, b'"' | b'\\' | b'\n'));
    // Sums of one byte each, which the compiler adds up in vectors.
    let sums = json
        .chunks(usize::from(u8::MAX))
        .map(|part| part.iter().map(is_escaped).sum::<u8>());
    json.len() + sums.map(usize::from).sum::<usize>()
}

impl<T> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        let json = [(header::CONTENT_TYPE, "application/json")];
        linked((json, self.body).into_response(), self.next)
    }
}

impl<T> IntoResponse for Lines<T> {
    fn into_response(self) -> Response {
        let lines = [(header::CONTENT_TYPE, NDJSON)];
        linked((lines, self.0.body).into_response(), self.0.next)
    }
}

impl<W: Serialize + Versioned> IntoResponse for Linked<W> {
    fn into_response(self) -> Response {
        let version = self.body.version();
        tagged(linked(Json(self.body).into_response(), self.next), version)
    }
}

fn linked(mut response: Response, next: Option<HeaderValue>) -> Response {
    if let Some(next) = next {
        response
            .headers_mut()
            .insert(header::LINK, next);
    }
    response
}

impl<T: ToSchema> Answer for List<T> {
    fn describe(description: &mut Description) {
        let rows = ArrayBuilder::new().items(description.schema::<T>());
        let about = format!("A list. {}", about::<T>());
        description.success(StatusCode::OK, about.trim(), Some(rows.into()), &[LINK]);
    }
}

impl<T: ToSchema> Answer for Lines<T> {
    fn describe(description: &mut Description) {
        let line = description.schema::<T>();
        let about = format!("Lines of JSON. {}", about::<T>());
        description.answer(StatusCode::OK, about.trim(), Some((NDJSON, line)), &[LINK]);
    }
}

impl<W: ToSchema> Answer for Linked<W> {
    fn describe(description: &mut Description) {
        let schema = description.schema::<W>();
        description.success(StatusCode::OK, &about::<W>(), Some(schema), &[LINK, ETAG]);
        describe_if_none_match(description, ETAG);
    }
}

/// The media type of JSON by lines.
const NDJSON: &str = "application/x-ndjson";

/// The header of an answer with a page, and its description.
const LINK: (&str, &str) = (
    "Link",
    "The URL of the next page, as rel=\"next\"; absent at the end of the list. The change feed has no end",
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_counted_as_the_gateway_is_sent_them() {
        for text in ["plain", "\"quoted\"", "\\", "\u{1}\n", "ä𝄞"] {
            let row = json!({ "title": text });
            let mut rows = Rows::default();
            assert!(rows.push(&row).unwrap());
            let sent = serde_json::to_string(&row.to_string()).unwrap();
            assert_eq!(rows.bytes + 2, sent.len(), "{text}");
        }
    }

    #[test]
    fn an_answer_holds_what_there_is_room_for_and_at_least_a_row() {
        let mut rows = Rows::up_to(20);
        assert!(
            rows.push(&"a row that is longer than that")
                .unwrap()
        );
        assert!(!rows.push(&"another").unwrap());
        assert_eq!(rows.finish(), "[\"a row that is longer than that\"]");
        assert_eq!(Rows::default().finish(), "[]");
    }
}
