//! `workdesk-admin record-alert`: alerts for the resolution agent, from whatever reports them.

use std::collections::BTreeMap;

use lexopt::Parser;
use serde::Deserialize;
use shared::{
    model::{
        LifecycleEvent, Metric, Money, Severity, SignalEntity, SignalStatus, Timestamp, Title,
    },
    store::NewSignal,
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
that reports it and are taken once; signalType, by which playbooks go; severity (info, warning, error
or critical); title (1 to 255 characters); targetSystem. Optional: description, entities (a list of
{\"type\", \"id\"}), labels, metric ({name, value, threshold, unit}), amountAtRisk ({minorUnits,
currency}), lifecycle (a list of {at, state}), and occurredAt, which is now unless it is told.";

/// An alert as it is told.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Alert {
    source: String,
    external_id: String,
    signal_type: String,
    severity: Severity,
    title: String,
    description: Option<String>,
    target_system: String,
    #[serde(default)]
    entities: Vec<SignalEntity>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    metric: Option<Metric>,
    amount_at_risk: Option<Money>,
    #[serde(default)]
    lifecycle: Vec<LifecycleEvent>,
    occurred_at: Option<Timestamp>,
}

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
    let signal = store.signals().create(organization, new).await?;
    terminal::say(&format!("Alert {}, {}.", signal.id, signal.title));
    Ok(())
}

fn alert(text: &str) -> Result<Alert, Error> {
    serde_json::from_str(text).map_err(|error| Error::Invalid(format!("the alert: {error}")))
}

impl Alert {
    fn into_new(self, now: Timestamp) -> Result<NewSignal, Error> {
        let title = Title::try_from(self.title);
        let title = title.map_err(|error| Error::Length("title", error))?;
        let severity = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Critical => "critical",
        };
        Ok(NewSignal {
            source: self.source,
            external_id: self.external_id,
            signal_type: self.signal_type,
            severity: severity.to_owned(),
            status: SignalStatus::Open,
            title: title.into(),
            description: self.description,
            target_system: self.target_system,
            entities: self.entities,
            labels: self.labels,
            metric: self.metric,
            amount_at_risk: self.amount_at_risk,
            lifecycle: self.lifecycle,
            occurred_at: self.occurred_at.unwrap_or(now),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#"{"source": "m", "externalId": "1", "signalType": "payment_failed",
        "severity": "error", "title": "It failed", "targetSystem": "payments"}"#;

    #[test]
    fn an_alert_occurred_now_unless_it_says_when() {
        let now = Timestamp::from_millis(7);
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
            (LEAST.replace("error", "bad"), "unknown variant `bad`"),
            (
                LEAST.replace("\"title\"", "\"titel\""),
                "unknown field `titel`",
            ),
            (
                LEAST.replace("\"source\": \"m\",", ""),
                "missing field `source`",
            ),
        ] {
            let error = alert(&wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let blank = LEAST.replace("It failed", " ");
        let blank = alert(&blank).unwrap();
        assert!(blank.into_new(Timestamp::from_millis(0)).is_err());
    }
}
