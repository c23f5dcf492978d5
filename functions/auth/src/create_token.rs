//! `POST /api/tokens`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Error, Problem,
    auth::{Caller, Identity, need},
    http::{
        Body, Single,
        refusal::{ConcurrentChange, PermissionDenied, TooManyTokens},
    },
    model::{Code, TokenCreate},
    versioned,
};
use utoipa::ToSchema;

use crate::view::TokenView;

/// A token that was just created, with what nobody is shown again.
#[derive(Serialize, ToSchema)]
pub struct CreatedToken {
    #[serde(flatten)]
    view: TokenView,
    /// What to send as `Authorization: Bearer …`. Keep it now: the service keeps only a hash. Null
    /// where an earlier request with the same Idempotency-Key created it: if its answer was lost,
    /// delete the token and create another.
    #[schema(examples("wd_J3k0qT1xw9cV5mYbN2aZrE8uHsLdGfPoXtCiRwQvK7M"))]
    token: Option<String>,
}

versioned!(CreatedToken: view);

/// Creates a token, and answers it this once.
///
/// It acts as the caller with at most the named permissions, and never with more than the caller
/// holds at that moment. A user holds at most 50.
#[utoipa::path(post, path = "/api/tokens", operation_id = "createToken")]
pub async fn create_token(
    State(app): State<App>,
    caller: Caller<need::Session>,
    Body(new): Body<TokenCreate>,
) -> Result<Single<CreatedToken>, Problem<(ConcurrentChange, PermissionDenied, TooManyTokens)>> {
    let owner = async {
        let identity = caller.identity().await?;
        holds_all(&identity, &new)?;
        Ok(identity.user.clone())
    };
    let tokens = app.store.tokens();
    let created = tokens.create(caller.permit(), caller.user_id(), owner, new.clone());
    let (token, secret) = created.await?;
    Ok(Single(CreatedToken {
        view: token.into(),
        token: secret.map(|secret| secret.expose().to_owned()),
    }))
}

/// 403 when the token is to have what the caller does not: nobody gives more than they hold.
fn holds_all(caller: &Identity, new: &TokenCreate) -> Result<(), Error> {
    let named = new.named().unwrap_or_default();
    let beyond = named.into_iter().find(|one| !caller.may(*one));
    beyond.map_or(Ok(()), |permission| {
        let detail = format!(
            "A token cannot have the permission {}, which you do not hold.",
            permission.name()
        );
        Err(Error::forbidden(Code::PermissionDenied, detail))
    })
}
