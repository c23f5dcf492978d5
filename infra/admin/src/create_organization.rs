//! `workdesk-admin create-organization`: what a deployed table needs before anybody can sign in.

use lexopt::Parser;
use shared::{
    auth::password,
    model::{
        FullName, NewPassword, Organization, OrganizationName, PlanFeature, Role, User, Username,
    },
    store::{NewUser, Store},
};

use crate::{arguments, error::Error, open, terminal};

/// How the operator calls it.
pub(crate) const NAME: &str = "create-organization";

const USAGE: &str = "\
Creates an organization with every plan feature, and its first admin, both or neither.

Usage: workdesk-admin create-organization TABLE NAME USERNAME FULL_NAME

  TABLE       The DynamoDB table: the output TableName of the deployed stack
  NAME        What the organization is called, 1 to 255 characters
  USERNAME    Who signs in, 3 to 64 characters, unique in the service
  FULL_NAME   The admin's name to show, 1 to 255 characters

The admin's password is asked for on a terminal, and elsewhere the first line of standard input.";

/// Creates an organization and its first admin.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let Some([table, name, username, full_name]) = arguments::exactly(given, USAGE)? else {
        return Ok(());
    };
    let new = New {
        name: name
            .try_into()
            .map_err(|error| Error::Length("NAME", error))?,
        username: username
            .try_into()
            .map_err(|error| Error::Length("USERNAME", error))?,
        full_name: full_name
            .try_into()
            .map_err(|error| Error::Length("FULL_NAME", error))?,
    };
    let password = terminal::new_password(&new.username)?;
    let (organization, admin) = create(&open(&table).await, new, password).await?;
    terminal::say(&format!(
        "Organization {}, {}; admin {}.",
        organization.id, organization.name, admin.username
    ));
    Ok(())
}

/// What is to be created.
struct New {
    name: OrganizationName,
    username: Username,
    full_name: FullName,
}

async fn create(
    store: &Store,
    new: New,
    password: NewPassword,
) -> Result<(Organization, User), Error> {
    let admin = NewUser {
        username: new.username.into(),
        full_name: new.full_name.into(),
        role: Role::Admin,
        extra_permissions: Vec::new(),
        password_hash: password::hash(password.into_secret()).await?,
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
            };
            let password = NewPassword::try_from("twelve chars".to_owned()).unwrap();
            create(&store, new, password)
        };
        let (organization, user) = create("Halden").await.unwrap();
        let account = store.sign_in().account("ada").await.unwrap().unwrap();
        assert_eq!(
            (account.organization_id, account.user_id),
            (organization.id, user.id)
        );
        assert_eq!(user.role, Role::Admin);
        let hash = Some(account.password_hash);
        assert!(password::verify("twelve chars".into(), hash).await.unwrap());
        assert!(create("Another").await.is_err());
        let all = store.directory().organizations().await.unwrap();
        assert_eq!(all.len(), 1);
        // It is the last admin, as any other.
        let directory = store.directory();
        let disabled = directory.disable_user(organization.id, user.id, true);
        assert!(disabled.await.is_err());
    }
}
