//! Responses that set the session cookie, or clear it.

use ::http::{HeaderValue, StatusCode};
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::header::{LOCATION, SET_COOKIE};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::operation::{Answer, Description, about};

/// 200 with a body and the cookie of a new session.
#[derive(Debug)]
pub struct SetCookie<T>(pub HeaderValue, pub T);

impl<T: Serialize> IntoResponse for SetCookie<T> {
    fn into_response(self) -> Response {
        ([(SET_COOKIE, self.0)], Json(self.1)).into_response()
    }
}

impl<T: ToSchema> Answer for SetCookie<T> {
    fn describe(description: &mut Description) {
        let schema = description.schema::<T>();
        let cookie = [("Set-Cookie", "The session, for all other operations")];
        description.success(StatusCode::OK, &about::<T>(), Some(schema), &cookie);
    }
}

/// 302 to a page, with cookies.
#[derive(Debug)]
pub struct Redirect {
    pub location: String,
    /// The session comes last: some gateways keep the last cookie alone.
    pub cookies: Vec<HeaderValue>,
}

impl IntoResponse for Redirect {
    fn into_response(self) -> Response {
        let location = [(LOCATION, self.location)];
        let mut response = (StatusCode::FOUND, location).into_response();
        let headers = response.headers_mut();
        for cookie in self.cookies {
            headers.append(SET_COOKIE, cookie);
        }
        response
    }
}

impl Answer for Redirect {
    fn describe(description: &mut Description) {
        let headers = [
            ("Location", "The page that goes on"),
            ("Set-Cookie", "What the sign-in needs next"),
        ];
        description.success(StatusCode::FOUND, "Goes on elsewhere", None, &headers);
    }
}

/// Declares a 204 with a cookie, and the cookie's meaning.
macro_rules! cookies {
    ($($(#[doc = $about:literal])+ $name:ident = $meaning:literal;)+) => {$(
        $(#[doc = $about])+
        #[derive(Debug)]
        pub struct $name(pub HeaderValue);

        impl IntoResponse for $name {
            fn into_response(self) -> Response {
                (StatusCode::NO_CONTENT, [(SET_COOKIE, self.0)]).into_response()
            }
        }

        impl Answer for $name {
            fn describe(description: &mut Description) {
                let cookie = [("Set-Cookie", $meaning)];
                description.success(StatusCode::NO_CONTENT, "Done", None, &cookie);
            }
        }
    )+};
}

cookies! {
    /// 204 that clears the session cookie.
    ForgetCookie = "Makes the client forget its session";
    /// 204 with the cookie of a new session in place of the old one.
    RenewCookie = "The session that takes the place of this one";
}
