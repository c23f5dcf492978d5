//! `PUT /api/auth/password`

use shared::{
    auth::{RenewCookie, password},
    endpoint::*,
    http::{
        ClientAddress, UserAgent,
        refusal::{PasswordSignInOff, TooManyAttempts},
    },
    model::people::{PasswordChange, Session, Sid, User},
    runtime::telemetry::{self, Metric},
};

/// Changes the caller's password.
///
/// Ends all other sessions and all tokens of the caller, and renews this session with a new cookie.
/// 400 if `currentPassword` is wrong, which counts as a failed sign-in of the account from this
/// address. 403 `password_sign_in_off` if the organization has passwords off.
#[utoipa::path(put, path = "/api/auth/password")]
pub async fn change_password(
    caller: Caller<need::OwnSession>,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
    Body(sent): Body<PasswordChange>,
) -> Result<RenewCookie, Problem<(ConcurrentChange, PasswordSignInOff, TooManyAttempts)>> {
    let identity = caller.identity().await?;
    let (session, user) = (identity.session()?, &identity.user);
    caller
        .app
        .store
        .providers()
        .check_password(user)
        .await?;
    telemetry::signs_in_from(&address);
    let sign_in = caller.app.store.sign_in();
    let head = sign_in.head(user.organization_id);
    let (head, attempt) = tokio::join!(head, sign_in.attempt(&user.username, &address));
    let (attempt, account) = attempt?;
    let verified = async {
        let gone = || Error::internal("changing a password", "the account is gone");
        let (account, head) = (account.ok_or_else(gone)?, head?);
        let hash = Some(account.password_hash.clone());
        let is_right = password::verify(sent.current_password.into_secret(), hash).await?;
        Ok((account, head, is_right))
    };
    let (account, head, is_right) = sign_in
        .decided(&attempt, verified.await)
        .await?;
    let mut faults = Vec::new();
    if !is_right {
        telemetry::count(Metric::SignInFailure, caller.app.clock.now());
        sign_in.failed(attempt.clone()).await?;
        faults.push(incorrect());
    }
    let new = sent.new_password;
    let fits = new.for_user(&user.username, &identity.organization.name);
    let fits = fits.map_err(|common| faults.push(common.at("newPassword")));
    let forget_failures = sign_in.succeeded(&attempt);
    let (Ok(new), true) = (fits, is_right) else {
        if is_right {
            forget_failures.await?;
        }
        return Err(Error::Invalid(faults).into());
    };
    let hash = password::hash(new).await?;
    let now = caller.app.clock.now();
    let begun = |sid: &Sid, user: &User| {
        Session::begin(sid, user, now).from(address.clone(), user_agent.clone())
    };
    let network = caller.app.notices_from(&address);
    let account = (&account, head);
    let renewed = sign_in.renew(account, &hash, (session, user), begun, network.as_deref());
    // Both end: the attempt is no failure, whether or not the password changes.
    let (sid, forgot) = tokio::join!(renewed, forget_failures);
    let sid = sid.and_then(|sid| forgot.map(|()| sid))?;
    let sid = sid.ok_or_else(|| Error::invalid(incorrect()))?;
    Ok(RenewCookie(
        caller
            .app
            .cookie
            .set(&sid.to_string())?,
    ))
}

fn incorrect() -> Fault {
    let detail = "`currentPassword` is not your current password.";
    Fault::at("currentPassword", FaultCode::Incorrect, detail)
}
