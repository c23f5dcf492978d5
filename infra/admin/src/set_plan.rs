//! `workdesk-admin set-plan`: the plan of an organization.

use lexopt::Parser;
use shared::{
    model::{
        base::{OrOther, quota::UnitsPerSecond},
        people::{Organization, PlanFeature},
    },
    store::{base::WriteContext, people::PlanChange},
};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "set-plan";

/// The text of a plan without features.
const NONE: &str = "-";

const USAGE: &str = "\
Changes the plan of an organization: what is named, and nothing else. Prints the whole plan.

Usage: workdesk-admin set-plan TABLE ORGANIZATION [--units N] [--invitations N] [--features NAMES]

  TABLE              The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION       The organization's id, as list-organizations shows it
  --units N          Table units that the organization may use in a second, 1 to 1000000. Each user and each token
                     may use a quarter of them. A new organization has 4000
  --invitations N    Invitations that the organization may send in a day, up to 1000000. A new organization has 50
  --features NAMES   All features of the plan, separated by commas; - for none. agentAI is the resolution agent.
                     Features that this version does not know end, too";

/// Changes an organization's plan.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let options = [("units", true), ("invitations", true), ("features", true)];
    let parsed = arguments::with_options(parser, USAGE, options)?;
    let Some(([table, organization], [units, invitations, features])) = parsed else {
        return Ok(());
    };
    let organization = arguments::organization_id(&organization)?;
    let change = PlanChange {
        units_per_second: units
            .last()
            .map(|text| units_per_second(text))
            .transpose()?,
        invitations_per_day: invitations
            .last()
            .map(|text| invitations_per_day(text))
            .transpose()?,
        features: features
            .last()
            .map(|text| plan_features(text))
            .transpose()?,
    };
    if change.is_empty() {
        return Err(Error::Arguments(USAGE));
    }
    let store = table::open(&table).await;
    let directory = store.directory();
    let context = WriteContext::of_operator(organization);
    let organization = directory
        .change_plan(context, change)
        .await?;
    terminal::say(&format!(
        "Organization {}, {}; plan {}, {} units a second, {} invitations a day.",
        organization.id,
        organization.name,
        plan(&organization),
        organization.units_per_second.get(),
        organization.invitations_per_day
    ));
    Ok(())
}

/// Returns the names of the plan's features, separated by commas; [`NONE`] for none.
pub(crate) fn plan(organization: &Organization) -> String {
    let features = organization.plan_features.iter();
    let names: Vec<&str> = features.map(name).collect();
    if names.is_empty() {
        NONE.to_owned()
    } else {
        names.join(",")
    }
}

fn name(feature: &OrOther<PlanFeature>) -> &str {
    match feature {
        OrOther::Known(feature) => feature.name(),
        OrOther::Other(name) => name,
    }
}

fn units_per_second(text: &str) -> Result<UnitsPerSecond, Error> {
    let units = text
        .parse()
        .ok()
        .and_then(UnitsPerSecond::new);
    let most = UnitsPerSecond::MOST;
    let wrong = || Error::Invalid(format!("--units: {text} is not a number from 1 to {most}"));
    units.ok_or_else(wrong)
}

fn invitations_per_day(text: &str) -> Result<u32, Error> {
    let number = text
        .parse()
        .ok()
        .filter(|number| *number <= 1_000_000);
    let wrong = || {
        Error::Invalid(format!(
            "--invitations: {text} is not a number up to 1000000"
        ))
    };
    number.ok_or_else(wrong)
}

fn plan_features(names: &str) -> Result<Vec<PlanFeature>, Error> {
    let names = names
        .split(',')
        .filter(|name| !["", NONE].contains(name));
    names.map(feature).collect()
}

fn feature(name: &str) -> Result<PlanFeature, Error> {
    let feature = name.parse();
    feature.map_err(|_| Error::Invalid(format!("there is no plan feature {name}; see --help")))
}

#[cfg(test)]
mod tests {
    use shared::model::base::Id;

    use super::*;

    #[test]
    fn features_and_ids_that_there_cannot_be_are_refused() {
        assert_eq!(feature("agentAI").unwrap(), PlanFeature::AgentAi);
        assert!(feature("agentai").is_err());
        assert_eq!(plan_features("agentAI").unwrap(), [PlanFeature::AgentAi]);
        assert_eq!(plan_features(NONE).unwrap(), []);
        assert!(plan_features("agentAI,else").is_err());
        assert_eq!(
            arguments::organization_id("7")
                .unwrap()
                .get(),
            7
        );
        for wrong in ["0", "-1", "x", ""] {
            assert!(arguments::organization_id(wrong).is_err(), "{wrong}");
        }
    }
}
