runtime::main!(runtime::background::run::<webhook_sender::WebhookSender>);
