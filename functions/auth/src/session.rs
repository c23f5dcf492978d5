//! `GET /api/auth/session`

use axum::Json;
use serde::Serialize;
use shared::{
    endpoint::*,
    model::{
        base::{OrOther, Timestamp},
        people::{Permission, PlanFeature},
    },
};
use utoipa::ToSchema;

use crate::view::{OrganizationView, SignedInUserView};

/// The signed-in user, their organization and their permissions.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    user: SignedInUserView,
    organization: OrganizationView,
    permissions: Vec<Permission>,
    #[schema(value_type = Vec<PlanFeature>)]
    plan_features: Vec<OrOther<PlanFeature>>,
    /// True if the deployment sends mail.
    mail: bool,
    /// Instant of the session's end, unless a request extends it, or of the token's end.
    expires_at: Timestamp,
}

/// Returns the signed-in user, their organization and their permissions.
#[utoipa::path(get, path = "/api/auth/session")]
pub async fn get_session(caller: Caller<need::SignedIn>) -> Result<Json<SessionView>, Problem> {
    let identity = caller.identity().await?;
    Ok(Json(SessionView {
        user: SignedInUserView::of(&identity.user),
        organization: OrganizationView::of(&identity.organization),
        permissions: identity.permissions(),
        plan_features: identity
            .organization
            .plan_features
            .clone(),
        mail: caller.app.sends_mail,
        expires_at: identity.ends_at(),
    }))
}
