//! Lists in pages: what a client asks of one, what it is answered, and where the list goes on.

use std::{collections::BTreeMap, marker::PhantomData};

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, Uri, header};
use model::{Cursor, Error, Fault, FaultCode, OrganizationId, Part, UserId};
use serde::Serialize;
use store::{Page, Place, Row, Wanted};
use utoipa::{ToSchema, openapi::schema::ArrayBuilder};

use super::{
    operation::{Answer, Description, about},
    query,
    single::{ETAG, Versioned, tagged},
};
use crate::auth::Cursors;

/// The most bytes of the rows of an answer: 4 MB of the 6 MB that Lambda lets a function answer.
const MOST_BYTES: usize = 4_000_000;

/// A page of records.
#[derive(Debug)]
pub struct List<T> {
    /// A JSON array.
    body: Bytes,
    /// Where the list goes on.
    next: Option<HeaderValue>,
    of: PhantomData<fn() -> T>,
}

/// A page of records for files and pipes: one a line (NDJSON).
#[derive(Debug)]
pub struct Lines<T>(List<T>);

/// A record with a page of others in it.
#[derive(Debug)]
pub struct Linked<W> {
    body: W,
    /// Where the list goes on.
    next: Option<HeaderValue>,
}

/// Links to pages of lists, for one caller.
#[derive(Clone, Debug)]
pub struct Links {
    cursors: Cursors,
    tenant: OrganizationId,
    /// Whose list it is, where each user has one of their own.
    user: Option<UserId>,
    /// What was asked for.
    uri: Uri,
}

/// A list that is being answered.
#[derive(Debug)]
pub struct Pages {
    links: Links,
    /// Which page of it is asked for.
    pub wanted: Wanted,
}

impl Links {
    pub(crate) const fn new(cursors: Cursors, tenant: OrganizationId, uri: Uri) -> Self {
        Self {
            cursors,
            tenant,
            user: None,
            uri,
        }
    }

    /// The same, to lists of the user's own.
    pub(crate) fn of_user(self, user: UserId) -> Self {
        Self {
            user: Some(user),
            ..self
        }
    }

    /// The part of this list that is asked for. 400 for a cursor that is not one of this list, with
    /// these filters, of the caller's organization.
    pub fn pages(self, part: &Part) -> Result<Pages, Error> {
        let after = match &part.cursor {
            Some(cursor) => Some(self.place(cursor)?),
            None => None,
        };
        let rows = part.limit.map(model::Limit::get);
        Ok(Pages {
            links: self,
            wanted: Wanted { rows, after },
        })
    }

    /// The URL of a list from a place on. The path and the filters, which need no escapes, make up
    /// the list.
    #[must_use]
    pub fn url(&self, path: &str, filters: &str, after: &Place) -> String {
        let list = self.name(path, filters);
        let cursor = self.cursors.seal(self.tenant, &list, after);
        let scheme = self.uri.scheme_str().unwrap_or("https");
        let host = self.uri.authority().map_or("", |host| host.as_str());
        let and = if filters.is_empty() { "" } else { "&" };
        format!("{scheme}://{host}{path}?{filters}{and}cursor={cursor}")
    }

    fn place(&self, cursor: &Cursor) -> Result<Place, Error> {
        let list = self.name(self.uri.path(), self.uri.query().unwrap_or_default());
        let place = self.cursors.open(self.tenant, &list, cursor.as_str());
        place.ok_or_else(|| {
            Error::invalid(Fault {
                pointer: "?cursor".to_owned(),
                code: FaultCode::Unknown,
                detail:
                    "This cursor is none of this list with these parameters; begin without one."
                        .to_owned(),
            })
        })
    }

    /// A list by its path and its query, but for how much of it is asked for, and by whose it is.
    fn name(&self, path: &str, raw_query: &str) -> String {
        let pairs = query::pairs(raw_query).0.into_iter();
        let filters: BTreeMap<_, _> = pairs
            .filter(|(name, _)| !["limit", "cursor"].contains(&name.as_str()))
            .collect();
        match self.user {
            Some(user) => format!("{path}\n{filters:?}\n{user}"),
            None => format!("{path}\n{filters:?}"),
        }
    }
}

impl Pages {
    /// Links to other lists.
    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// Answers a page; each record is shown as `view` makes it.
    pub fn answer<R, T: Serialize>(
        &self,
        page: Page<R>,
        view: impl FnMut(R) -> T,
    ) -> Result<List<T>, Error> {
        self.list(Rows::default(), page, view)
    }

    /// Answers a page, one record a line.
    pub fn lines<R, T: Serialize>(
        &self,
        page: Page<R>,
        view: impl FnMut(R) -> T,
    ) -> Result<Lines<T>, Error> {
        self.list(Rows::of_lines(), page, view).map(Lines)
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

    /// Answers a page as part of something else, which `whole` makes of the rows.
    pub fn answer_within<R, T: Serialize, W>(
        &self,
        page: Page<R>,
        view: impl FnMut(R) -> T,
        whole: impl FnOnce(Vec<T>) -> W,
    ) -> Result<Linked<W>, Error> {
        let mut shown = Vec::with_capacity(page.rows.len());
        let next = self.fill(&mut Rows::default(), page, view, |row| shown.push(row))?;
        Ok(Linked {
            body: whole(shown),
            next,
        })
    }

    /// Adds the rows that there is room for, hands each on to `take`, and answers the link to what
    /// comes behind them.
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
        end.map(|place| self.next(&place)).transpose()
    }

    /// The `Link` header of what comes behind a place.
    fn next(&self, place: &Place) -> Result<HeaderValue, Error> {
        let uri = &self.links.uri;
        let kept = uri.query().unwrap_or_default().split('&');
        let kept: Vec<&str> = kept
            .filter(|pair| !pair.is_empty() && query::name(pair).as_deref() != Some("cursor"))
            .collect();
        let url = self.links.url(uri.path(), &kept.join("&"), place);
        HeaderValue::try_from(format!("<{url}>; rel=\"next\""))
            .map_err(|error| Error::internal("linking a page", error))
    }
}

/// Rows of an answer that are being written, as many of them as it can hold.
#[derive(Debug)]
struct Rows {
    json: Vec<u8>,
    /// How many bytes they are within the answer.
    bytes: usize,
    most: usize,
    /// Whether each stands on a line of its own, and not in an array.
    are_lines: bool,
}

impl Default for Rows {
    fn default() -> Self {
        Self::up_to(MOST_BYTES)
    }
}

impl Rows {
    /// Up to so many bytes.
    fn up_to(most: usize) -> Self {
        Self {
            json: vec![b'['],
            bytes: 0,
            most,
            are_lines: false,
        }
    }

    /// One a line.
    fn of_lines() -> Self {
        Self {
            json: Vec::new(),
            are_lines: true,
            ..Self::default()
        }
    }

    /// Adds a row; answers whether there was room for it. There always is for the first.
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

/// The first of some rows, as many as fit into so many bytes of an answer; the first always does.
#[must_use]
pub fn fitting<T: Serialize>(rows: Vec<T>, most: usize) -> Vec<T> {
    let mut counted = Rows::up_to(most);
    let rows = rows.into_iter();
    rows.map_while(|row| counted.push(&row).is_ok_and(|fits| fits).then_some(row))
        .collect()
}

/// How many bytes some JSON is within a function's answer, of which it is a string.
fn in_answer(json: &[u8]) -> usize {
    let escaped = json
        .iter()
        .filter(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
    json.len() + escaped.count()
}

impl<T> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        let json = [(header::CONTENT_TYPE, "application/json")];
        linked((json, self.body).into_response(), self.next)
    }
}

impl<T> IntoResponse for Lines<T> {
    fn into_response(self) -> Response {
        let Self(List { body, next, .. }) = self;
        linked(
            ([(header::CONTENT_TYPE, NDJSON)], body).into_response(),
            next,
        )
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
        response.headers_mut().insert(header::LINK, next);
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
        let about = format!("Lines, each of them JSON. {}", about::<T>());
        description.success_of(StatusCode::OK, about.trim(), NDJSON, line, &[LINK]);
    }
}

impl<W: ToSchema> Answer for Linked<W> {
    fn describe(description: &mut Description) {
        let schema = description.schema::<W>();
        description.success(StatusCode::OK, &about::<W>(), Some(schema), &[LINK, ETAG]);
    }
}

/// The media type of JSON by lines.
const NDJSON: &str = "application/x-ndjson";

/// The header of an answer that has a page of a list in it, and what it says.
const LINK: (&str, &str) = (
    "Link",
    "The URL of the next page, as rel=\"next\"; absent at the end of the list",
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
        assert!(rows.push(&"a row that is longer than that").unwrap());
        assert!(!rows.push(&"another").unwrap());
        assert_eq!(rows.finish(), "[\"a row that is longer than that\"]");
        assert_eq!(Rows::default().finish(), "[]");
    }
}
