//! A service request as the API answers it.

use model::{
    ActionRef, Category, Description, JsonObject, Priority, ReferenceId, ReferenceType,
    ServiceRequest, ServiceRequestId, ServiceStatus, Timestamp, Title, UserId,
};
use serde::Serialize;
use store::Stored;
use utoipa::ToSchema;

use crate::versioned;

/// A service request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ServiceRequest)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequestView {
    id: ServiceRequestId,
    title: Title,
    description: Option<Description>,
    status: ServiceStatus,
    priority: Priority,
    category: Option<Category>,
    creator_id: UserId,
    assignee_id: Option<UserId>,
    reference_type: Option<ReferenceType>,
    reference_id: Option<ReferenceId>,
    metadata: Option<JsonObject>,
    /// The manual action of an agent session that was handed over with it.
    agent_action: Option<ActionRef>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

versioned!(ServiceRequestView);

impl From<Stored<ServiceRequest>> for ServiceRequestView {
    fn from(stored: Stored<ServiceRequest>) -> Self {
        let Stored {
            record: request,
            version,
        } = stored;
        Self {
            version,
            id: request.id,
            title: request.title,
            description: request.description,
            status: request.status,
            priority: request.priority,
            category: request.category,
            creator_id: request.creator_id,
            assignee_id: request.assignee_id,
            reference_type: request.reference_type,
            reference_id: request.reference_id,
            metadata: request.metadata.map(|metadata| metadata.0),
            agent_action: request.agent_action,
            created_at: request.created_at,
            updated_at: request.updated_at,
        }
    }
}
