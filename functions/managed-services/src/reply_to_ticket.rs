//! `POST /api/managed-services/ticket/{ticketId}/reply`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId},
    input::{Fields, Input, text},
    model::TicketId,
};
use utoipa::ToSchema;

/// What a client sends to reply to a ticket.
#[derive(ToSchema)]
pub struct ReplyToTicket {
    /// 1 to 50,000 characters.
    content: String,
}

impl Input for ReplyToTicket {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let content = body.required("content", text(1..=50_000));
        Some(Self { content: content? })
    }
}

/// Replies to a ticket; one that is pending or resolved is open from then on.
#[utoipa::path(
    post, path = "/api/managed-services/ticket/{ticketId}/reply", operation_id = "replyToTicket", tag = "managed-services",
    params(("ticketId" = TicketId, Path)),
    request_body = ReplyToTicket,
    responses(
        (status = 200, description = "Replied"),
        (status = 409, description = "The ticket is closed, or others kept changing it at the same time",
            body = shared::http::ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn reply_to_ticket(
    State(app): State<App>,
    caller: Caller<need::ReplyTicket>,
    Path(id): Path<PathId<TicketId>>,
    Body(ReplyToTicket { content }): Body<ReplyToTicket>,
) -> Result<StatusCode, Problem> {
    let (tenant, author) = (caller.tenant(), caller.user_id());
    let tickets = app.store.tickets();
    tickets.reply(tenant, id.known()?, author, &content).await?;
    Ok(StatusCode::OK)
}
