//! `workdesk-admin after-restore`: the first command on a table that was put back to an earlier
//! instant.

use lexopt::Parser;
use shared::{
    model::base::{OrganizationId, Timestamp},
    store::{base::Store, upkeep::CameBack},
};

use crate::{arguments, error::Error, index_records::index, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "after-restore";

const USAGE: &str = "\
Prepares a table that was put back to an earlier instant, before anything serves it. Raises the counters of
ids, and keeps the keys of calls. In each organization it ends all sessions, restarts the change feed, pauses
the agent, and notes in the journal what may have come back. Prints the same. Then does what index-records does.

Usage: workdesk-admin after-restore TABLE --at INSTANT [--end-tokens]

  TABLE          The restored DynamoDB table
  --at           The instant to which it was restored, such as 2026-11-20T08:00:00Z
  --end-tokens   Ends all tokens too

The table of that instant does not say which tokens were deleted after it. So each token that was alive then is
listed, and works again: those that were revoked since, too. End them one by one, or all by --end-tokens.

Run again for the same instant, it repeats the list, the index and --end-tokens, and nothing else. A failure
of one organization is named on standard error, and the next one follows; the exit code is then 1.";

/// Prepares a table after its restore.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let options = [("at", true), ("end-tokens", false)];
    let parsed = arguments::with_options(parser, USAGE, options)?;
    let Some(([table], [at, tokens])) = parsed else {
        return Ok(());
    };
    let ends_tokens = !tokens.is_empty();
    let at = at
        .last()
        .ok_or(Error::Arguments(USAGE))?;
    let at: Timestamp = at.parse().map_err(|_| {
        let example = "such as 2026-11-20T08:00:00Z";
        Error::Invalid(format!("{at:?} is not an instant; send one {example}"))
    })?;
    let store = table::open(&table).await;
    if store.now() <= at {
        return Err(Error::Invalid(format!("{at} is not over")));
    }
    let stack = store.tenants().restore_ids(at).await?;
    let mut failed = 0;
    for (organization, read) in store
        .directory()
        .organizations()
        .await?
    {
        let name = read
            .as_ref()
            .map_or("?", |details| &details.name);
        terminal::say(&format!("Organization {organization}, {name}"));
        let prepared = prepare(&store, organization, (at, ends_tokens)).await;
        let prepared = match read {
            Err(error) => prepared.and(Err(error.into())),
            Ok(_) => prepared,
        };
        if let Err(error) = prepared {
            failed += 1;
            terminal::fail(&format!("organization {organization}: {error}"));
        }
    }
    terminal::say(&format!(
        "At the target systems, check calls and messages since {at}. Their idempotency keys begin with \
         wd-{stack}- and the organization's id. Then resume the agents with resume-agents."
    ));
    if !ends_tokens {
        terminal::say(
            "Nothing in the table says which of the listed tokens were revoked after that instant: all of them \
             work. Delete the revoked ones, or run this again with --end-tokens.",
        );
    }
    Error::of_failed(failed)
}

async fn prepare(
    store: &Store,
    organization: OrganizationId,
    (at, ends_tokens): (Timestamp, bool),
) -> Result<(), Error> {
    let came_back = store.tenants();
    let came_back = came_back
        .restored(organization, at, ends_tokens)
        .await?;
    say(&came_back, ends_tokens);
    index(store, organization).await
}

fn say(came_back: &CameBack, ends_tokens: bool) {
    if !came_back.is_new {
        terminal::say("  was prepared for this instant before");
    }
    let tokens = if ends_tokens {
        "token, ended"
    } else {
        "token, alive at that instant"
    };
    for token in &came_back.tokens {
        let id = token.id;
        let user = token.user_id;
        terminal::say(&format!(
            "  {tokens}: {id}, {}, of user {user}",
            &*token.name
        ));
    }
    for user in &came_back.users {
        terminal::say(&format!("  user, enabled: {}, {}", user.id, user.username));
    }
    for (at, event, subject) in &came_back.changes {
        terminal::say(&format!("  changed shortly before: {at} {event} {subject}"));
    }
}
