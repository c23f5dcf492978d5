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
        Operation::get("/payments/{id}/messages", messages_about_payment),
        Operation::get("/webhook-endpoints/{id}", webhook_endpoint),
        Operation::post("/webhook-endpoints/{id}/resend", resend_webhooks),
    ],
};

const TEMPLATES: [&str; 2] = ["payment_failed", "payment_method_needed"];

/// Returns the names of the templates.
fn templates(_: &mut Records, _: &Request) -> Answer {
    Answer::shows("templates", &serde_json::json!({ "names": TEMPLATES }))
}

/// Returns the number of messages about a payment, by template.
fn messages_about_payment(records: &mut Records, request: &Request) -> Answer {
    let sent = TEMPLATES.map(|template| {
        let messages = records.messages.iter();
        let about = messages.filter(|one| one.content["paymentId"] == *request.id);
        let number = about.filter(|one| one.template == template).count();
        (template.to_owned(), serde_json::Value::from(number))
    });
    let sent: serde_json::Map<_, _> = sent.into_iter().collect();
    Answer::shows(&request.id, &serde_json::json!({ "sent": sent }))
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
