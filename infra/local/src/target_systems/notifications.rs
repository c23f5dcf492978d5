//! The notification system: messages to customers and webhooks to their systems.

use super::{
    operation::{Answer, Operation, Request, System, answer},
    records::{Message, Records},
};

/// The system. Like many real ones it ignores idempotency keys: a repeated call sends a second
/// message.
pub(crate) static NOTIFICATIONS: System = System {
    name: "notifications",
    secret: "local-notifications-secret",
    honours_keys: false,
    test_path: "/templates",
    operations: &[
        Operation::post("/messages", send_message),
        Operation::get("/templates", templates),
        Operation::get("/customers/{id}/messages", messages),
        Operation::get("/webhook-endpoints/{id}", webhook_endpoint),
        Operation::post("/webhook-endpoints/{id}/resend", resend_webhooks),
    ],
};

/// Returns the names of the templates.
fn templates(_: &mut Records, _: &Request) -> Answer {
    let names = ["payment_failed", "payment_method_needed"];
    Answer::shows("templates", &serde_json::json!({ "names": names }))
}

/// Returns the number of messages to a customer, and template and subject of the last one.
fn messages(records: &mut Records, request: &Request) -> Answer {
    if !records.customers.contains_key(&request.id) {
        return Answer::unknown("customer");
    }
    let own = records.messages.iter();
    let own: Vec<&Message> = own.filter(|one| one.customer_id == request.id).collect();
    let last = own.last();
    let about = last.map(|last| &last.content["paymentId"]);
    let shown = serde_json::json!({
        "count": own.len(), "lastTemplate": last.map(|last| &last.template), "lastAbout": about,
    });
    Answer::shows(&request.id, &shown)
}

fn webhook_endpoint(records: &mut Records, request: &Request) -> Answer {
    match records.webhook_endpoints.get(&request.id) {
        Some(endpoint) => Answer::shows(&request.id, endpoint),
        None => Answer::unknown("webhook endpoint"),
    }
}

fn resend_webhooks(records: &mut Records, request: &Request) -> Answer {
    let Some(endpoint) = records.webhook_endpoints.get_mut(&request.id) else {
        return Answer::unknown("webhook endpoint");
    };
    if !(endpoint.enabled && endpoint.last_status == 200) {
        return Answer::unusable("the endpoint does not take webhooks");
    }
    if endpoint.undelivered == 0 {
        return Answer::already_done();
    }
    endpoint.undelivered = 0;
    Answer::done(&request.id, endpoint)
}

fn send_message(records: &mut Records, request: &Request) -> Answer {
    answer(send(records, request))
}

fn send(records: &mut Records, request: &Request) -> Result<Answer, Answer> {
    let customer_id = request.text("customerId")?;
    let template = request.text("template")?;
    if !records.customers.contains_key(customer_id) {
        return Err(Answer::unknown("customer"));
    }
    let message = Message {
        id: format!("msg_{}", records.messages.len() + 1),
        customer_id: customer_id.to_owned(),
        template: template.to_owned(),
        content: request.body.clone(),
    };
    records.messages.push(message.clone());
    Ok(Answer::done(&message.id, &message))
}
