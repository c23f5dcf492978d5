//! Redirects to a page of the desk.

use ::http::StatusCode;
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;

use super::operation::{Answer, Description};

/// 302 to a page of the deployment's desk.
#[derive(Clone, Copy, Debug)]
pub struct ToPage(pub &'static str);

impl IntoResponse for ToPage {
    fn into_response(self) -> Response {
        (StatusCode::FOUND, [(LOCATION, self.0)]).into_response()
    }
}

impl Answer for ToPage {
    fn describe(description: &mut Description) {
        let headers = [("Location", "The page of the desk")];
        description.success(StatusCode::FOUND, "Goes on at a page", None, &headers);
    }
}
