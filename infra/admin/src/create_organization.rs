//! `workdesk-admin create-organization`: the first organization and admin of a table.

use lexopt::Parser;
use shared::{
    Fault,
    auth::password,
    model::{
        base::{Email, FullName, OrganizationName, Username},
        people::{NewPassword, Organization, PlanFeature, Role, User},
    },
    store::{base::Store, people::NewUser},
};

use crate::{arguments, error::Error, table, terminal};

/// Name of the subcommand.
pub(crate) const NAME: &str = "create-organization";

const USAGE: &str = "\
Creates an organization with every plan feature, and its first admin. If one fails, so does the other.

Usage: workdesk-admin create-organization TABLE NAME USERNAME FULL_NAME [EMAIL]

  TABLE       The DynamoDB table: the output TableName of the deployed stack
  NAME        The organization's name, 1 to 255 characters
  USERNAME    The admin's username, 3 to 64 characters, unique in the service
  FULL_NAME   The admin's full name, 1 to 255 characters
  EMAIL       The admin's address, which counts as verified: links for a forgotten password go there

Asks for the admin's password on a terminal; otherwise reads it from the first line of standard input.";

/// Creates an organization and its first admin.
pub(crate) async fn run(parser: Parser) -> Result<(), Error> {
    let Some(([table, name, username, full_name], more)) = arguments::values(parser, USAGE)? else {
        return Ok(());
    };
    if more.len() > 1 {
        return Err(Error::Arguments(USAGE));
    }
    let new = New {
        name: name
            .try_into()
            .map_err(|error| Error::Text("NAME", error))?,
        username: username
            .try_into()
            .map_err(|error| Error::Text("USERNAME", error))?,
        full_name: full_name
            .try_into()
            .map_err(|error| Error::Text("FULL_NAME", error))?,
        email: more
            .first()
            .map(|email| address(email))
            .transpose()?,
    };
    let password = terminal::new_password(&new.username)?;
    let (organization, admin) = create(&table::open(&table).await, new, password).await?;
    terminal::say(&format!(
        "Organization {}, {}; admin {}.",
        organization.id, organization.name, admin.username
    ));
    Ok(())
}

/// The organization and admin to create.
struct New {
    name: OrganizationName,
    username: Username,
    full_name: FullName,
    email: Option<Email>,
}

fn address(text: &str) -> Result<Email, Error> {
    let faults = |faults: Vec<Fault>| {
        let detail = faults
            .into_iter()
            .next()
            .map(|fault| fault.detail);
        Error::Invalid(format!("EMAIL: {}", detail.unwrap_or_default()))
    };
    Email::of_text(text).map_err(faults)
}

async fn create(
    store: &Store,
    new: New,
    password: NewPassword,
) -> Result<(Organization, User), Error> {
    let password = password.for_user(&new.username, &new.name)?;
    let admin = NewUser {
        username: new.username.into(),
        full_name: new.full_name.into(),
        email_verified_at: new.email.as_ref().map(|_| store.now()),
        email: new.email,
        role: Role::Admin,
        extra_permissions: Vec::new(),
        password_hash: password::hash(password).await?,
        provider_subject: None,
    };
    let plan = vec![PlanFeature::AgentAi];
    let directory = store.directory();
    let founded = directory.found_organization(new.name.into(), plan, admin);
    Ok(founded.await?)
}

#[cfg(test)]
mod tests {
    use local::engines::Engines;
    use shared::clock::Clock;

    use super::*;

    #[tokio::test]
    async fn the_admin_can_sign_in_and_the_username_is_taken_from_then_on() {
        let engines = Engines::in_memory().await.unwrap();
        let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
        let create = |name: &str| {
            let new = New {
                name: name.try_into().unwrap(),
                username: "Ada".try_into().unwrap(),
                full_name: "Ada Lindqvist".try_into().unwrap(),
                email: Some(address("ada@example.com").unwrap()),
            };
            let password = NewPassword::try_from("twelve chars".to_owned()).unwrap();
            create(&store, new, password)
        };
        let (organization, user) = create("Halden").await.unwrap();
        let account = store
            .sign_in()
            .account("ada")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (account.organization_id, account.user_id),
            (organization.id, user.id)
        );
        assert_eq!(user.role, Role::Admin);
        assert_eq!(user.verified_email().unwrap().key(), "ada@example.com");
        assert!(address("ada").is_err());
        let hash = Some(account.password_hash);
        assert!(
            password::verify("twelve chars".into(), hash)
                .await
                .unwrap()
        );
        assert!(create("Another").await.is_err());
        let organizations = store
            .directory()
            .organizations()
            .await
            .unwrap();
        assert_eq!(organizations.len(), 1);
        // The last admin cannot be disabled, as in any organization.
        let directory = store.directory();
        let disabled = directory.disable_user(organization.id, user.id, true);
        assert!(disabled.await.is_err());
    }
}
