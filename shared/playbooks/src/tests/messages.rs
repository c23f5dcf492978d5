//! Messages to customers.

use super::*;

#[test]
fn nobody_is_told_what_was_not_read() {
    for (failure, is_asked) in [
        ("card_declined", true),
        ("stolen_card", true),
        ("processing_error", false),
        ("", false),
    ] {
        let ask = &propose(&payment(failure), &declined_payment()).actions[0];
        let is_it = ask.content.action_type == ActionType::NotifyCustomer;
        assert_eq!(is_it && ask.is_automated, is_asked, "{failure}");
    }
    // The reason must be known at the proposal. A retry comes first.
    let tell = &propose(&payment("processing_error"), &failed_payment()).actions[1];
    let expected = [
        "payment.state is `failed`",
        "payment.failure is not empty",
        "invoice.state is `open`",
        "invoice.open is the same as payment.amount",
        "invoice.paused is false",
        "payments.taken is the same as invoice.paid",
        "payments.unsettled is 0",
        "invoice.currency is `USD`",
        "invoice.customer is `cus_1`",
        "invoice.open is 23100",
        "payment.id is `pay_1`",
        "payment.invoice is `inv_1`",
        "invoice.id is `inv_1`",
    ];
    assert_eq!(says(&tell.content.require), expected);
    let unknown = propose(&payment(""), &failed_payment());
    let reason = &unknown.analysis.not_applicable[1].reason;
    let why =
        "Does not hold: The processor names a reason. Found instead: payment.failure is empty.";
    assert_eq!(reason, why);
    // A message about this payment proves the effect, whatever is sent later.
    let effective = tell
        .content
        .verify
        .as_ref()
        .unwrap()
        .effective[0]
        .says();
    assert_eq!(effective, "told.failed is at least 1 messages");
    let reads: Vec<&str> = tell
        .content
        .reads
        .iter()
        .map(|read| &*read.name)
        .collect();
    assert_eq!(reads, ["payment", "invoice", "payments", "told"]);
    // Each failed payment is told of, whoever the customer is.
    assert_eq!(tell.content.records, ["payment/pay_1"]);
}
