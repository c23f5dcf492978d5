//! `PUT /api/auth/email`

use shared::{
    auth::password,
    endpoint::*,
    http::{
        ClientAddress,
        refusal::{MailNotConfigured, TooManyAttempts},
    },
    model::people::EmailChange,
    runtime::telemetry::{self, Metric},
};

/// Sends a link to a new address of the caller.
///
/// 202 also for an address that another user has. Nothing changes until
/// `POST /api/auth/email/confirm` returns the link's token, within 24 hours. 400 if `password` is
/// wrong, which counts as a failed sign-in of the account from this address. 429 `rate_limited`
/// after 10 links in an hour.
#[utoipa::path(put, path = "/api/auth/email")]
pub async fn change_email(
    caller: Caller<need::OwnSession>,
    ClientAddress(address): ClientAddress,
    Body(sent): Body<EmailChange>,
) -> Result<Accepted, Problem<(ConcurrentChange, MailNotConfigured, TooManyAttempts)>> {
    let user = &caller.identity().await?.user;
    caller.app.needs_mail()?;
    telemetry::signs_in_from(&address);
    let sign_in = caller.app.store.sign_in();
    let (attempt, account) = sign_in
        .attempt(&user.username, &address)
        .await?;
    let hash = account.map(|account| account.password_hash);
    let verified = password::verify(sent.password.into_secret(), hash).await;
    if !sign_in
        .decided(&attempt, verified)
        .await?
    {
        telemetry::count(Metric::SignInFailure, caller.app.clock.now());
        sign_in.failed(attempt).await?;
        let detail = "`password` is not your current password.";
        return Err(Error::invalid(Fault::at("password", FaultCode::Incorrect, detail)).into());
    }
    let links = caller.app.store.account_links();
    let link = links.ask_for(user, sent.email, caller.app.links.issue());
    // Both end: the attempt is no failure, whether or not the link is sent.
    let (requested, forgot) = tokio::join!(link, sign_in.succeeded(&attempt));
    requested.and(forgot)?;
    Ok(Accepted)
}
