//! `GET /api/auth/session`

use axum::Json;
use serde::Serialize;
use shared::{
    Problem,
    auth::{Caller, need},
    model::{Permission, PlanFeature, Timestamp},
};
use utoipa::ToSchema;

use crate::view::{OrganizationView, UserView};

/// Who is signed in, and what they may do.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    user: UserView,
    organization: OrganizationView,
    permissions: Vec<Permission>,
    plan_features: Vec<PlanFeature>,
    /// When the session ends, unless a request extends it before, or when the token does.
    expires_at: Timestamp,
}

/// Tells who is signed in, and what they may do.
#[utoipa::path(get, path = "/api/auth/session", operation_id = "getSession")]
pub async fn session(caller: Caller<need::SignedIn>) -> Result<Json<SessionView>, Problem> {
    let identity = caller.identity().await?;
    Ok(Json(SessionView {
        user: UserView::from(&identity.user),
        organization: OrganizationView::from(&*identity.organization),
        permissions: identity.permissions(),
        plan_features: identity.organization.plan_features.clone(),
        expires_at: identity.ends_at(),
    }))
}
