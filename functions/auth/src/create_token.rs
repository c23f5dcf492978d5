//! `POST /api/tokens`

use serde::Serialize;
use shared::{
    auth::Identity,
    endpoint::*,
    http::refusal::{PermissionDenied, TooManyTokens},
    model::{
        base::{Code, Error},
        people::TokenCreate,
    },
};
use utoipa::ToSchema;

use crate::view::TokenView;

/// A new token with its text, which is shown only once.
#[derive(Serialize, ToSchema)]
pub struct CreatedToken {
    #[serde(flatten)]
    view: TokenView,
    /// Text to send as `Authorization: Bearer …`. Store it now: the service keeps only a hash. Null
    /// if an earlier request with the same `Idempotency-Key` created the token. If that answer was
    /// lost, delete the token and create another.
    token: Option<String>,
}

versioned!(CreatedToken: view);

/// Creates a token and returns its text, this once.
///
/// The token acts as the caller, with at most its named permissions, and never with more than the
/// caller holds at that moment. 403 `permission_denied` if it names a permission that the caller
/// does not hold. A user has at most 50 tokens (409 `too_many_tokens`).
#[utoipa::path(post, path = "/api/tokens")]
pub async fn create_token(
    caller: Caller<need::OwnSession>,
    Body(new): Body<TokenCreate>,
) -> Result<Single<CreatedToken>, Problem<(ConcurrentChange, PermissionDenied, TooManyTokens)>> {
    let owner = async || {
        let identity = caller.identity().await?;
        holds_all(&identity, &new)?;
        Ok(identity.user.clone())
    };
    let tokens = caller.app.store.tokens();
    let created = tokens.create(caller.write(), caller.user_id(), owner, new.clone());
    let (token, secret) = created.await?;
    Ok(Single(CreatedToken {
        view: TokenView::of(token),
        token: secret.map(|secret| secret.expose().to_owned()),
    }))
}

/// Checks that the caller holds every permission of the token. 403 otherwise.
fn holds_all(caller: &Identity, new: &TokenCreate) -> Result<(), Error> {
    let named = new.named().unwrap_or_default();
    let beyond = named
        .into_iter()
        .find(|permission| !caller.may(*permission));
    beyond.map_or(Ok(()), |permission| {
        let name = permission.name();
        let detail = format!("The token cannot have the permission {name}: you do not hold it.");
        Err(Error::forbidden(Code::PermissionDenied, detail))
    })
}
