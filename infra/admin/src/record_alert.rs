//! `workdesk-admin record-alert`: alerts for the resolution agent, from whatever reports them.

use lexopt::Parser;
use serde_json::{Map, Value};
use shared::model::{
    AlertCreate,
    input::{Input, from_value},
};

use crate::{arguments, error::Error, open, set_plan::organization_id, terminal};

/// How the operator calls it.
pub(crate) const NAME: &str = "record-alert";

const USAGE: &str = "\
Records an alert of an organization, on which an agent session can be opened.

Usage: workdesk-admin record-alert TABLE ORGANIZATION < alert.json

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   Its id, as list-organizations tells it

Standard input is one JSON object. Required: source and externalId, which name the alert in the system
that reports it: the same again is counted; signalType, by which playbooks go; severity (info, warning, error
or critical); title (1 to 255 characters); targetSystem. Optional: description, entities (a list of
{\"type\", \"id\"}), labels, metric ({name, value, threshold, unit}), amountAtRisk ({minorUnits,
currency}), lifecycle (a list of {at, state}), and occurredAt, which is now unless it is told.";

/// Records an alert.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let Some([table, organization]) = arguments::exactly(given, USAGE)? else {
        return Ok(());
    };
    let organization = organization_id(&organization)?;
    let alert = alert(&terminal::input()?)?;
    let store = open(&table).await;
    store.directory().organization(organization).await?;
    let new = alert.into_new(store.now())?;
    let signal = store.signals().record(organization, new).await?;
    let again = match signal.count {
        1 => String::new(),
        count => format!(", reported {count} times"),
    };
    terminal::say(&format!("Alert {}, {}{again}.", signal.id, signal.title));
    Ok(())
}

/// The alert that a text is, which the API would take as well. What nobody knows is likely misspelt.
fn alert(text: &str) -> Result<AlertCreate, Error> {
    let invalid = |why: String| Error::Invalid(format!("the alert: {why}"));
    let sent: Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    let known = AlertCreate::names();
    let mut sent_names = sent.as_object().into_iter().flat_map(Map::keys);
    if let Some(name) = sent_names.find(|name| !known.contains(name)) {
        return Err(invalid(format!("unknown field `{name}`")));
    }
    from_value(&sent).map_err(|faults| {
        let faults = faults.into_iter();
        let faults = faults.map(|fault| format!("{}: {}", fault.pointer, fault.detail));
        invalid(faults.collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use shared::model::Timestamp;

    use super::*;

    const LEAST: &str = r#"{"source": "m", "externalId": "1", "signalType": "payment_failed",
        "severity": "error", "title": "It failed", "targetSystem": "payments"}"#;

    #[test]
    fn an_alert_occurred_now_unless_it_says_when() {
        let now: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
        let new = alert(LEAST).unwrap().into_new(now).unwrap();
        assert_eq!((new.occurred_at, new.severity.as_str()), (now, "error"));
        let text = LEAST.replace('}', r#", "occurredAt": "2026-01-31T09:30:00+01:00"}"#);
        let new = alert(&text).unwrap().into_new(now).unwrap();
        assert_eq!(new.occurred_at.to_string(), "2026-01-31T08:30:00.000Z");
    }

    #[test]
    fn what_is_no_alert_is_refused_with_where() {
        for (wrong, why) in [
            (String::new(), "EOF"),
            ("[]".to_owned(), "Expected an object"),
            (LEAST.replace("error", "bad"), "unknown variant `bad`"),
            (
                LEAST.replace("\"title\"", "\"titel\""),
                "unknown field `titel`",
            ),
            (LEAST.replace("\"source\": \"m\",", ""), "Send `source`."),
        ] {
            let error = alert(&wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let blank = alert(&LEAST.replace("It failed", " ")).unwrap_err();
        assert!(blank.to_string().contains("/title"), "{blank}");
    }
}
