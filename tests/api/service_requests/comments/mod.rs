//! `/api/service-requests/{serviceRequestId}/comments`

mod create;
mod list;
