//! `GET /api/health`

use shared::endpoint::*;

/// The health of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`: a service that fails returns another status.
    #[schema(example = "ok")]
    status: &'static str,
    /// The version of the service.
    #[schema(example = "2.0.0")]
    version: &'static str,
}

/// Returns the version of the service if it runs.
///
/// Open to everyone, without a session. Monitors call it. It reads no table, so that it does not
/// tell of the health of the data.
#[utoipa::path(get, path = "/api/health")]
pub async fn get_health(Query(()): Query<()>) -> Result<Json<Health>, Problem> {
    Ok(Json(Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
    }))
}
