//! The two lists whose description knows "access denied" and no "not found".

use shared::Error;

/// 403 in place of 404: a record of another organization answers as one that does not exist.
pub fn denied(error: Error) -> Error {
    match error {
        Error::NotFound(noun) => Error::forbidden(
            "access_denied",
            format!("You have no access to this {noun}."),
        ),
        other => other,
    }
}
