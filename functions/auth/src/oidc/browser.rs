//! The browser of a sign-in by a provider: its session, and its sign-ins under way.

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};
use shared::{
    auth::cross_site,
    endpoint::*,
    http::operation::Argument,
    model::people::{Session, Sid},
    problem::Cause,
    store::people::BrowserSession,
};

use crate::Auth;

use super::flow::OidcFlow;

/// The cookies of a browser, and where the request comes from.
#[derive(Debug)]
pub struct Browser {
    headers: HeaderMap,
    sid: Option<Sid>,
}

impl Browser {
    pub(super) fn of(headers: &HeaderMap, app: &App) -> Self {
        let signed = app.cookie.read(headers);
        Self {
            headers: headers.clone(),
            sid: signed.and_then(|sid| Sid::parse(&sid, app.store.cell())),
        }
    }

    /// The browser's session, if it is valid.
    pub(super) async fn session(&self, app: &App) -> Result<Option<Session>, Error> {
        let Some(sid) = &self.sid else {
            return Ok(None);
        };
        let hash = sid.hash();
        let read = app.store.sign_in();
        let read = read
            .caller(sid.organization, sid.user, &hash)
            .await?;
        let now = app.clock.now();
        let valid = read.filter(|caller| {
            caller
                .credential
                .holds(&caller.user, now)
                && caller.organization.works().is_ok()
        });
        Ok(valid.map(|caller| caller.credential.record))
    }

    /// The sign-ins that the browser has begun and not ended.
    pub(super) fn flows(&self, app: &App) -> Vec<OidcFlow> {
        let now = app.clock.now();
        let flows = app.cookie.flows(&self.headers);
        let flows = flows
            .iter()
            .filter_map(|flow| serde_json::from_str(flow).ok());
        flows
            .filter(|flow: &OidcFlow| now < flow.ends_at)
            .collect()
    }

    /// Checks that no page of another site began the request. 403 `cross_site` otherwise.
    pub(super) fn check_origin(&self, app: &App) -> Result<(), Cause> {
        let is_ours = cross_site::is_ours(&self.headers, &app.allowed_origins);
        let refused = || cross_site::refused(&self.headers);
        is_ours
            .then_some(())
            .ok_or_else(refused)
    }
}

pub(super) fn browser_session(session: &Session) -> BrowserSession {
    BrowserSession {
        organization: session.organization_id,
        user: session.user_id,
        sid_hash: session.sid_hash.clone(),
    }
}

impl FromRequestParts<Auth> for Browser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, auth: &Auth) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers, &auth.app))
    }
}

impl Argument for Browser {}
