//! `POST /api/tokens`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    App, Error, Problem,
    auth::{Caller, Identity, need},
    http::{
        Body,
        refusal::{ConcurrentChange, PermissionDenied, TooManyTokens},
    },
    model::{Code, TokenCreate, TokenSecret},
};
use utoipa::ToSchema;

use crate::view::TokenView;

/// A token that was just created, with what nobody is shown again.
#[derive(Serialize, ToSchema)]
pub struct CreatedToken {
    #[serde(flatten)]
    view: TokenView,
    /// What to send as `Authorization: Bearer …`. Keep it now: the service keeps only a hash.
    #[schema(examples("wd_J3k0qT1xw9cV5mYbN2aZrE8uHsLdGfPoXtCiRwQvK7M"))]
    token: String,
}

/// Creates a token, and answers it this once.
///
/// It acts as the caller with at most the named permissions, and never with more than the caller
/// holds at that moment. A user holds at most 50.
#[utoipa::path(post, path = "/api/tokens", operation_id = "createToken")]
pub async fn create_token(
    State(app): State<App>,
    caller: Caller<need::Session>,
    Body(new): Body<TokenCreate>,
) -> Result<Json<CreatedToken>, Problem<(ConcurrentChange, PermissionDenied, TooManyTokens)>> {
    let tokens = app.store.tokens();
    let next = tokens.next(caller.tenant(), caller.user_id());
    let (identity, next) = tokio::try_join!(caller.identity(), next)?;
    holds_all(&identity, &new)?;
    let secret = TokenSecret::generate();
    let token = tokens.create(&identity.user, next, new, &secret).await?;
    Ok(Json(CreatedToken {
        view: token.into(),
        token: secret.expose().to_owned(),
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
