//! `GET /api/auth/sign-in`

use shared::{
    endpoint::*,
    http::{
        ClientAddress,
        refusal::{InvitationInvalid, OrganizationSuspended, TooManyAttempts},
    },
    model::{
        base::{LoginName, unique_name},
        people::SignInWaysOf,
    },
    store::people::SignInWays,
};

type Refused = (InvitationInvalid, OrganizationSuspended, TooManyAttempts);

/// The ways in which a username signs in.
#[derive(Serialize, ToSchema)]
#[schema(as = SignInWays)]
pub struct SignInWaysView {
    /// False if the user signs in by the provider alone.
    passwords: bool,
    /// Path at which the sign-in by the organization's provider begins; null without a provider.
    provider: Option<String>,
}

/// Returns the ways to sign in by a username, or to accept an invitation.
///
/// An unknown username has the ways of some user, always the same. After thirty requests of a
/// network for usernames that do not exist, further ones get 429 `too_many_attempts` until the
/// quarter of an hour ends. A dead invitation is 403 `invitation_invalid`; `provider` of an open
/// one takes its `invitation`, too.
#[utoipa::path(get, path = "/api/auth/sign-in")]
pub async fn get_sign_in_ways(
    State(app): State<App>,
    Query(of): Query<SignInWaysOf>,
    ClientAddress(address): ClientAddress,
) -> Result<Json<SignInWaysView>, Problem<Refused>> {
    let ways = match (&of.username, &of.invitation) {
        (Some(username), None) => of_username(&app, username, &address).await?,
        (None, Some(token)) => {
            let open = app
                .store
                .invitations()
                .open(token)
                .await?;
            let providers = app.store.providers();
            providers
                .ways_of_invitation(open.organization.id)
                .await?
        }
        _ => {
            return Err(Error::invalid(Fault {
                pointer: "?username".to_owned(),
                code: FaultCode::Combination,
                detail: "Send either `username` or `invitation`.".to_owned(),
            })
            .into());
        }
    };
    let path = |id| format!("/api/auth/oidc?organization={id}");
    Ok(Json(SignInWaysView {
        passwords: ways.passwords,
        provider: ways.provider.map(path),
    }))
}

async fn of_username(app: &App, username: &LoginName, address: &str) -> Result<SignInWays, Error> {
    let decoy = app
        .cookie
        .number_of(&unique_name::key(username));
    let sign_in = app.store.sign_in();
    let providers = app.store.providers();
    let counted = sign_in.ways_attempt(address);
    let (attempt, ways) = tokio::join!(counted, providers.ways_of(username, decoy));
    let ways = ways?;
    sign_in
        .ways_checked(&attempt?, ways.is_real)
        .await?;
    Ok(ways)
}
