//! `GET /api/auth/sign-in`

use shared::endpoint::*;

/// The ways in which a username signs in.
#[derive(Serialize, ToSchema)]
#[schema(as = SignInWays, examples(json!({"passwords": true, "provider": "/api/auth/oidc?organization=1"})))]
pub struct SignInWaysView {
    /// False if the user signs in by the provider alone.
    passwords: bool,
    /// Path at which the sign-in by the organization's provider begins; null without a provider.
    provider: Option<String>,
}

/// Returns the ways in which a username signs in.
///
/// An unknown username has the ways of some user, always the same. After thirty requests of a
/// network, further ones get 429 `too_many_attempts` until the quarter of an hour ends.
#[utoipa::path(get, path = "/api/auth/sign-in")]
pub async fn get_sign_in_ways(
    State(app): State<App>,
    Query(SignInWaysOf { username }): Query<SignInWaysOf>,
    ClientAddress(address): ClientAddress,
) -> Result<Json<SignInWaysView>, Problem<TooManyAttempts>> {
    let decoy = app.cookie.number_of(&unique_name::key(&username));
    let (sign_in, providers) = (app.store.sign_in(), app.store.providers());
    let counted = sign_in.ways_attempt(&address);
    let (counted, ways) = tokio::join!(counted, providers.ways_of(&username, decoy));
    let ((), ways) = (counted?, ways?);
    let path = |id| format!("/api/auth/oidc?organization={id}");
    Ok(Json(SignInWaysView {
        passwords: ways.passwords,
        provider: ways.provider.map(path),
    }))
}
