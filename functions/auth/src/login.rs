//! `POST /api/auth/login`

use axum::extract::State;
use shared::{
    auth::{OwnPage, SetCookie, password},
    endpoint::*,
    http::{
        ClientAddress, UserAgent,
        refusal::{InvalidCredentials, OrganizationSuspended, PasswordSignInOff, TooManyAttempts},
    },
    model::{
        base::Error,
        people::{Login, LoginPassword, Session, Sid, SignInMethod, User},
    },
    runtime::telemetry::{self, Metric},
    store::{base::Account, people::SignInAttempt},
};

use crate::view::SignedInUserView;

type Refused = (
    InvalidCredentials,
    OrganizationSuspended,
    PasswordSignInOff,
    TooManyAttempts,
);

/// Signs in: returns the user and sets the session cookie.
///
/// A wrong username and a wrong password get the same answer (401 `invalid_credentials`), and take
/// the same time. Further attempts get 429 `too_many_attempts`:
///
/// - After ten failed ones on an account from one network within 15 minutes.
/// - After thirty from one network, on any accounts, until the quarter of an hour ends.
/// - For 1, 2, 4 … up to 60 seconds after each failure, from the tenth on an account in a quarter
///   of an hour on. Networks where the account signed in within 30 days do not wait.
///
/// With passwords off, the right password gets 403 `password_sign_in_off`, but for the admins whom
/// the organization names.
///
/// A suspended organization is named only after a right password (403 `organization_suspended`).
///
/// A network is an IPv4 address or the first 64 bits of an IPv6 address. An attempt that is
/// answered 503 does not count as failed.
#[utoipa::path(post, path = "/api/auth/login")]
pub async fn login(
    State(app): State<App>,
    _: OwnPage,
    Query(()): Query<()>,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
    Body(Login { username, password }): Body<Login>,
) -> Result<SetCookie<SignedInUserView>, Problem<Refused>> {
    telemetry::signs_in_from(&address);
    let sign_in = app.store.sign_in();
    let (attempt, account) = sign_in
        .attempt(&username, &address)
        .await?;
    let judged = judge(&app, account, password).await;
    let accepted = sign_in
        .decided(&attempt, judged)
        .await?;
    let Some((account, user)) = accepted else {
        return Err(refused(&app, attempt).await.into());
    };
    let now = app.clock.now();
    let sid = Sid::generate(app.store.cell(), user.organization_id, user.id, now);
    let session = Session::begin(&sid, &user, now).from(address.clone(), user_agent);
    // Both end: the attempt is no failure, whether or not the session begins.
    let begun = sign_in.begin(&account, &session, Some(SignInMethod::Password));
    let (begun, noted) = tokio::join!(begun, sign_in.succeeded(&attempt));
    begun.and(noted)?;
    telemetry::caller(user.id, user.organization_id);
    let cookie = app.cookie.set(&sid.to_string())?;
    Ok(SetCookie(cookie, SignedInUserView::of(&user)))
}

/// Verifies a password. Returns the account and its user; `None` for a wrong password, an unknown
/// account and a disabled user.
async fn judge(
    app: &App,
    account: Option<Account>,
    password: LoginPassword,
) -> Result<Option<(Account, User)>, Error> {
    let hash = account
        .as_ref()
        .map(|account| account.password_hash.clone());
    let is_right = password::verify(password.into_secret(), hash).await?;
    let Some(account) = account.filter(|_| is_right) else {
        return Ok(None);
    };
    let user = app
        .store
        .sign_in()
        .user(&account)
        .await?;
    let Some(user) = user.filter(|user| !user.disabled) else {
        return Ok(None);
    };
    app.store
        .providers()
        .check_password(&user)
        .await?;
    Ok(Some((account, user)))
}

async fn refused(app: &App, attempt: SignInAttempt) -> Error {
    telemetry::count(Metric::SignInFailure, app.clock.now());
    let noted = app
        .store
        .sign_in()
        .failed(attempt)
        .await;
    noted
        .err()
        .unwrap_or(Error::WrongCredentials)
}
