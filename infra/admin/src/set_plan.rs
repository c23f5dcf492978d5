//! `workdesk-admin set-plan`: the plan of an organization.

use lexopt::Parser;
use shared::{
    model::{Id, OrOther, Organization, OrganizationId, PlanFeature, quota::UnitsPerSecond},
    store::{PlanLimits, WriteContext},
};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "set-plan";

const USAGE: &str = "\
Sets the plan of an organization, and replaces the one before, with features that this version does not know.

Usage: workdesk-admin set-plan TABLE ORGANIZATION [UNITS [INVITATIONS]] [FEATURE]...

  TABLE          The DynamoDB table: the output TableName of the deployed stack
  ORGANIZATION   The organization's id, as list-organizations shows it
  UNITS          Table units that the organization may use in a second, 1 to 1000000; 4000 without it.
                 Each user and each token may use a quarter of them
  INVITATIONS    Invitations that the organization may send in a day, up to 1000000; 50 without it
  FEATURE        agentAI, the resolution agent; without a FEATURE, the plan has none";

/// Sets an organization's plan.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let Some(([table, organization], mut features)) = arguments::values(given, USAGE)? else {
        return Ok(());
    };
    let organization = organization_id(&organization)?;
    let units = match number(&mut features) {
        Some(text) => units(&text)?,
        None => UnitsPerSecond::default(),
    };
    let mut limits = PlanLimits::from(units);
    if let Some(text) = number(&mut features) {
        limits.invitations_per_day = invitations(&text)?;
    }
    let features = features.iter().map(|name| feature(name));
    let features = features.collect::<Result<Vec<_>, _>>()?;
    let store = table::open(&table).await;
    let directory = store.directory();
    let organization = directory
        .set_plan(WriteContext::of_operator(organization), features, limits)
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

/// Returns the names of the plan's features, separated by commas; `-` for none.
pub(crate) fn plan(organization: &Organization) -> String {
    let features = organization.plan_features.iter();
    let names: Vec<&str> = features.map(name).collect();
    if names.is_empty() {
        "-".to_owned()
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

pub(crate) fn organization_id(text: &str) -> Result<OrganizationId, Error> {
    let id = text.parse().ok().and_then(OrganizationId::new);
    id.ok_or_else(|| Error::Invalid(format!("{text} is not an organization's id")))
}

/// Takes the first argument, if it is a number.
fn number(arguments: &mut Vec<String>) -> Option<String> {
    let first = arguments.first()?;
    let is_number = first.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| arguments.remove(0))
}

fn units(text: &str) -> Result<UnitsPerSecond, Error> {
    let units = text.parse().ok().and_then(UnitsPerSecond::new);
    let most = UnitsPerSecond::MOST;
    units.ok_or_else(|| Error::Invalid(format!("{text} is not a number from 1 to {most}")))
}

fn invitations(text: &str) -> Result<u32, Error> {
    let number = text.parse().ok().filter(|number| *number <= 1_000_000);
    number.ok_or_else(|| Error::Invalid(format!("{text} is not a number up to 1000000")))
}

fn feature(name: &str) -> Result<PlanFeature, Error> {
    let feature = name.parse();
    feature.map_err(|_| Error::Invalid(format!("there is no plan feature {name}; see --help")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_and_ids_that_there_cannot_be_are_refused() {
        assert_eq!(feature("agentAI").unwrap(), PlanFeature::AgentAi);
        assert!(feature("agentai").is_err());
        assert_eq!(organization_id("7").unwrap().get(), 7);
        for wrong in ["0", "-1", "x", ""] {
            assert!(organization_id(wrong).is_err(), "{wrong}");
        }
    }
}
