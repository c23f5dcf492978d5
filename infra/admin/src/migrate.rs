//! `workdesk-admin migrate`: rewrites items of older forms.

use std::time::Duration;

use lexopt::Parser;
use shared::{
    model::base::OrganizationId,
    store::{base::Store, metered, units_so_far, upkeep::Forms},
};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "migrate";

const USAGE: &str = "\
Gives items of earlier versions the form in which this version writes them, so that lists by a new index have
them. Records keep their versions, and no client is told. Each line has organization, kind and number.

Usage: workdesk-admin migrate TABLE [--organization ID]... [--rate UNITS]

  TABLE               The DynamoDB table: the output TableName of the deployed stack
  --organization ID   Only this organization, as list-organizations shows it; may be repeated
  --rate UNITS        The most table units a second; without it, as fast as the table answers

Run it once all functions have this version; then run verify. A failure of one organization is named on standard
error, and the next one follows; so is an item that does not read. The exit code is then 1. Items with the form of this version are only read,
so an interrupted run can simply start again. Clients may work meanwhile. An item costs 1 read unit, and one of an
older form 1 write unit more, with 1 for each of its indexes that changes.";

/// The arguments of a subcommand that walks organizations.
pub(crate) struct Walk {
    table: String,
    organizations: Vec<String>,
    /// Units a second.
    rate: Option<f64>,
}

/// Rewrites the items of organizations.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some(walk) = Walk::read(parser, USAGE)? else {
        return Ok(());
    };
    let failed = walk
        .each(true, |forms| forms.unreadable.is_empty())
        .await?;
    Error::of_failed(failed)
}

impl Walk {
    /// Reads the arguments. Prints `usage` and returns none for `--help`.
    pub(crate) fn read(parser: Parser, usage: &'static str) -> Result<Option<Self>, Error> {
        let options = [("organization", true), ("rate", true)];
        let parsed = arguments::with_options(parser, usage, options)?;
        let Some(([table], [organizations, rate])) = parsed else {
            return Ok(None);
        };
        let rate = rate.last().map(|text| units(text));
        Ok(Some(Self {
            table,
            organizations,
            rate: rate.transpose()?,
        }))
    }

    /// Walks all organizations, or those that are named. Returns the number of organizations
    /// without `fine` forms. Failed ones count among them.
    pub(crate) async fn each(
        self,
        rewrites: bool,
        fine: impl Fn(&Forms) -> bool,
    ) -> Result<usize, Error> {
        let store = table::open(&self.table).await;
        let work = async |id| {
            let walked = metered(self.walk(&store, id, rewrites));
            let (forms, _) = Box::pin(walked).await;
            forms.map(|forms| fine(&forms))
        };
        table::each(&store, &self.organizations, work).await
    }

    async fn walk(
        &self,
        store: &Store,
        id: OrganizationId,
        rewrites: bool,
    ) -> Result<Forms, Error> {
        let mut before = 0.0;
        let mut each = async |forms: &Forms| {
            terminal::progress(&format!(
                "organization {id}: {} items, {} of an older form",
                forms.items,
                forms.older()
            ));
            let used = units_so_far() - before;
            before += used;
            if let Some(rate) = self.rate {
                tokio::time::sleep(Duration::from_secs_f64(used / rate)).await;
            }
        };
        let forms = store
            .tenants()
            .forms(id, rewrites, &mut each)
            .await?;
        terminal::progress("\n");
        for (kind, older) in &forms.older {
            terminal::say(&format!("{id}\t{kind}\t{older}"));
        }
        for why in &forms.unreadable {
            terminal::fail(&format!("organization {id}: {why}"));
        }
        for kind in &forms.unknown {
            terminal::fail(&format!(
                "organization {id}: this version does not know items of the kind {kind}"
            ));
        }
        Ok(forms)
    }
}

fn units(text: &str) -> Result<f64, Error> {
    let units = text
        .parse()
        .ok()
        .filter(|units: &u32| *units > 0);
    let units = units.map(f64::from);
    units.ok_or_else(|| Error::Invalid(format!("{text} is not a number of units a second")))
}
