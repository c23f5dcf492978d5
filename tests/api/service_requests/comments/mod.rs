//! `/api/service-requests/{serviceRequestId}/comments`

mod create;
mod delete;
mod list;
mod update;
