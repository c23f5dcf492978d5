//! `workdesk-admin record-alert`: an alert for the resolution agent, from any source.

use lexopt::Parser;
use shared::{
    agent::alert::AlertCreate,
    model::base::input::{Fields, Input, parse},
    store::base::WriteContext,
};

use crate::{
    arguments::{self, organization_id},
    error::Error,
    table, terminal,
};

/// Name of the subcommand.
pub(crate) const NAME: &str = "record-alert";

const USAGE: &str = "\
Records an alert of an organization, on which an agent session can be opened.

Usage: workdesk-admin record-alert TABLE ORGANIZATION < alert.json

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it

Standard input is one JSON object with these fields:

  source, externalId   Required. Name the alert in the system that reports it; a repeated report is counted
  signalType           Required. Class of the alert, by which playbooks match
  severity             Required. info, warning, error or critical
  title                Required. 1 to 255 characters
  targetSystem         Required. Name of the affected system
  description, labels
  entities             A list of {\"type\", \"id\"}
  metric               {name, value, threshold, unit}
  amountAtRisk         {minorUnits, currency}
  lifecycle            A list of {at, state}
  occurredAt           An instant; now by default";

/// Records an alert.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some([table, organization]) = arguments::exactly(parser, USAGE)? else {
        return Ok(());
    };
    let organization = organization_id(&organization)?;
    let alert = alert(&terminal::input()?)?;
    let store = table::open(&table).await;
    store
        .directory()
        .organization(organization)
        .await?;
    let report = alert.report(store.now())?;
    let alert = store
        .alerts()
        .record(WriteContext::of_operator(organization), report)
        .await?;
    let again = match alert.count {
        1 => String::new(),
        count => format!(", reported {count} times"),
    };
    terminal::say(&format!("Alert {}, {}{again}.", alert.id, alert.title));
    Ok(())
}

/// Parses an alert as the API does. Unlike the API, refuses unknown fields, since they are likely
/// misspelt.
fn alert(text: &str) -> Result<AlertCreate, Error> {
    let invalid = |why: &str| Error::Invalid(format!("the alert: {why}"));
    // The byte order mark, which the reader below accepts.
    let text = text.trim_start_matches('\u{feff}');
    // The reader below refuses what is not an object.
    let sent: Fields = serde_json::from_str(text).unwrap_or_default();
    let field_names = AlertCreate::names();
    if let Some(name) = sent
        .keys()
        .find(|name| !field_names.contains(name))
    {
        return Err(invalid(&format!("There is no field `{name}`; see --help.")));
    }
    parse(text.as_bytes()).map_err(|faults| {
        let faults = faults
            .into_iter()
            .map(|fault| match fault.pointer {
                body if body.is_empty() => fault.detail,
                pointer => format!("{pointer}: {}", fault.detail),
            });
        invalid(&faults.collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use shared::{agent::alert::Severity, model::base::Timestamp};

    use super::*;

    const LEAST: &str = r#"{"source": "m", "externalId": "1", "signalType": "payment_failed",
        "severity": "error", "title": "It failed", "targetSystem": "payments"}"#;

    #[test]
    fn an_alert_occurred_now_unless_it_says_when() {
        let now: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
        let new = alert(LEAST)
            .unwrap()
            .report(now)
            .unwrap();
        assert_eq!(
            (new.occurred_at, new.content.severity),
            (now, Severity::Error)
        );
        let text = LEAST.replace('}', r#", "occurredAt": "2026-01-31T09:30:00+01:00"}"#);
        let new = alert(&text)
            .unwrap()
            .report(now)
            .unwrap();
        assert_eq!(new.occurred_at.to_string(), "2026-01-31T08:30:00.000Z");
    }

    #[test]
    fn what_is_no_alert_is_refused_with_where() {
        let severities = "\"bad\" is not a severity. Send one of: info, warning, error, critical.";
        let cases = [
            (String::new(), "The body is empty. Send a JSON object."),
            (
                "{\"title\"".to_owned(),
                "The body is incomplete JSON: it ends at line 1, column 8.",
            ),
            ("[]".to_owned(), "The body must be an object."),
            (
                LEAST.replace("error", "bad"),
                &format!("/severity: {severities}"),
            ),
            (
                LEAST.replace("\"title\"", "\"titel\""),
                "There is no field `titel`; see --help.",
            ),
            (
                LEAST.replace("\"source\": \"m\",", ""),
                "/source: Send `source`.",
            ),
        ];
        for (wrong, why) in cases {
            let error = alert(&wrong).unwrap_err().to_string();
            assert_eq!(error, format!("the alert: {why}"));
        }
        let blank = alert(&LEAST.replace("It failed", " ")).unwrap_err();
        assert!(blank.to_string().contains("/title: "), "{blank}");
    }
}
