//! The notification system: sends messages to customers.

use super::{
    operation::{Answer, Operation, Request, System, answer},
    records::{Message, Records},
};

/// It takes no notice of idempotency keys, as many real ones: a repeated call is a second message.
pub(crate) static NOTIFICATIONS: System = System {
    name: "notifications",
    secret: "local-notifications-secret",
    honours_keys: false,
    test_path: "/templates",
    operations: &[
        Operation::post("/messages", send_message),
        Operation::get("/templates", templates),
    ],
};

/// Reads the names of the templates.
fn templates(_: &mut Records, _: &Request) -> Answer {
    let names = ["payment_failed", "payment_method_needed"];
    Answer::shows("templates", &serde_json::json!({ "names": names }))
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
