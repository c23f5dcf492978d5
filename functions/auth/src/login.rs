//! `POST /api/auth/login`

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, header},
    response::IntoResponse,
};
use shared::{
    App, Error, Problem,
    auth::{Sid, password},
    http::{Body, ClientAddress, NoQuery, Query},
    input::{Fields, Input, text},
    model::Session,
    telemetry::{self, Metric},
};
use utoipa::ToSchema;

use crate::view::UserView;

/// Who signs in.
#[derive(ToSchema)]
pub struct Login {
    /// Matched without regard to case.
    username: String,
    /// As it was set.
    #[schema(format = Password)]
    password: String,
}

impl Input for Login {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let username = body.required("username", text(1..=255));
        // Longer than any password that was set; the bound keeps the hash from being a burden.
        let password = body.required("password", text(1..=1_024));
        Some(Self {
            username: username?,
            password: password?,
        })
    }
}

/// Signs in: answers the user and sets the session cookie.
///
/// A wrong username and a wrong password answer alike, and take the same time. Ten failures of an
/// account from one address within 15 minutes close that door for the two of them.
#[utoipa::path(
    post, path = "/api/auth/login", operation_id = "login", tag = "auth", security(),
    request_body = Login,
    responses(
        (status = 200, description = "The user; Set-Cookie carries the session", body = UserView),
        (status = 401, description = "Wrong username or password", body = shared::http::ProblemDetails, content_type = "application/problem+json"),
        (status = 429, description = "Too many failures; see Retry-After", body = shared::http::ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn login(
    State(app): State<App>,
    Query(NoQuery): Query<NoQuery>,
    ClientAddress(address): ClientAddress,
    Body(input): Body<Login>,
) -> Result<impl IntoResponse, Problem> {
    let sign_in = app.store.sign_in();
    let (account, ()) = tokio::try_join!(
        sign_in.account(&input.username),
        sign_in.attempt(&input.username, &address),
    )?;
    let hash = account
        .as_ref()
        .map(|account| account.password_hash.clone());
    let (true, Some(account)) = (password::verify(input.password, hash).await?, account) else {
        return Err(refused(&app).into());
    };
    let user = sign_in.user(&account).await?;
    let user = user
        .filter(|user| !user.disabled)
        .ok_or_else(|| refused(&app))?;
    let sid = Sid::generate(user.organization_id, user.id);
    let now = app.clock.now();
    let session = Session {
        sid_hash: sid.hash(),
        organization_id: user.organization_id,
        user_id: user.id,
        epoch: user.session_epoch,
        created_at: now,
        touched_at: now,
    };
    tokio::try_join!(
        sign_in.begin(&session),
        sign_in.succeeded(&input.username, &address),
    )?;
    let mut headers = HeaderMap::new();
    headers.extend(
        app.cookie
            .set(&sid.to_string())
            .map(|cookie| (header::SET_COOKIE, cookie)),
    );
    Ok((headers, Json(UserView::from(&user))))
}

fn refused(app: &App) -> Error {
    telemetry::count(Metric::SignInFailure, app.clock.now());
    Error::WrongCredentials
}
