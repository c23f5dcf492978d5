//! The header with the user whom the client takes for signed in. Two tabs of a browser share one
//! session: a tab that shows another user's page must neither write as the new user nor show the
//! new user's records.

use ::http::HeaderMap;
use model::base::{Code, Error, FaultCode, Id, UserId};
use utoipa::openapi::path::ParameterIn;

use crate::http::{operation::Description, problem::invalid};

/// The name of the header, as the document has it.
const HEADER: &str = "Workdesk-User";

/// The user whom a request names. `None` without the header. 400 for another form than one id.
pub(super) fn read(headers: &HeaderMap) -> Result<Option<UserId>, Error> {
    let mut sent = headers.get_all(HEADER).iter();
    let Some(value) = sent.next() else {
        return Ok(None);
    };
    let id = value.to_str().ok().and_then(parsed);
    let id = id.filter(|_| sent.next().is_none());
    let detail = "Send the id of one user, such as 4, or leave the header out.";
    let malformed = || invalid(HEADER, FaultCode::Pattern, detail);
    id.map(Some).ok_or_else(malformed)
}

/// The id as the API writes it: without a sign, spaces or zeros before it.
fn parsed(text: &str) -> Option<UserId> {
    let number = text.parse::<i64>().ok()?;
    let id = UserId::new(number)?;
    (id.to_string() == text).then_some(id)
}

/// 409 for a credential of another user than the request names.
pub(super) fn other(caller: UserId, named: UserId) -> Error {
    let detail = format!(
        "{HEADER} names user {named}, and the session or token is that of user {caller}. Nothing was \
         done. Read GET /api/auth/session without the header, and send the id that it returns."
    );
    Error::conflict(Code::OtherUser, detail)
}

/// Describes the header, which each operation with a caller takes.
pub(super) fn describe(description: &mut Description) {
    let about = "The user whom the client shows as signed in. 409 `other_user` for the session or token of \
                 another user, before anything is read or written.";
    let id = description.schema::<UserId>();
    description.parameter(ParameterIn::Header, HEADER, false, id, about);
    description.problems(&[Code::OtherUser]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::http::HeaderValue;
    use model::base::MAX_ID;

    fn of(values: &[&str]) -> Result<Option<UserId>, Error> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(HEADER, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        read(&headers)
    }

    #[test]
    fn a_request_names_one_user_by_the_id_or_none() {
        assert_eq!(of(&[]).unwrap(), None);
        assert_eq!(of(&["4"]).unwrap(), UserId::new(4));
        let largest = MAX_ID.to_string();
        assert_eq!(of(&[&largest]).unwrap(), UserId::new(MAX_ID));
        let malformed = "|0|-4|+4|04| 4|4 |4,4|4.0|me|٤|9007199254740992|99999999999999999999";
        for value in malformed.split('|') {
            let refused = of(&[value]).unwrap_err();
            assert!(matches!(refused, Error::Invalid(_)), "{value}");
        }
        of(&["4", "4"]).unwrap_err();
    }
}
