//! `admin create-organization`: what a deployed table needs before anybody can sign in.

use lexopt::Parser;
use shared::{
    auth::password,
    clock::Clock,
    config,
    model::{Organization, PlanFeature, Role, User},
    store::{NewUser, Store},
};

use crate::{arguments, error::Error, terminal};

/// How the operator calls it.
pub(crate) const NAME: &str = "create-organization";

/// Characters that a password has at least.
const SHORTEST_PASSWORD: usize = 12;

/// Creates an organization with every plan feature, and its first admin.
pub(crate) async fn run(given: Parser) -> Result<(), Error> {
    let [table, organization, username, full_name] =
        arguments::values(given, "TABLE NAME USERNAME FULL_NAME")?;
    let password = terminal::password()?;
    check(&username, &password)?;
    let client = aws_sdk_dynamodb::Client::new(&config::aws().await);
    let store = Store::new(client, &table, Clock::system());
    let (organization, admin) = create(&store, organization, username, full_name, password).await?;
    terminal::say(&format!(
        "Organization {}, {}; admin {}.",
        organization.id, organization.name, admin.username
    ));
    Ok(())
}

fn check(username: &str, password: &str) -> Result<(), Error> {
    if !(3..=64).contains(&username.chars().count()) {
        return Err(Error::Invalid("a username has 3 to 64 characters"));
    }
    if password.chars().count() < SHORTEST_PASSWORD {
        return Err(Error::Invalid("a password has 12 characters or more"));
    }
    Ok(())
}

async fn create(
    store: &Store,
    organization: String,
    username: String,
    full_name: String,
    password: String,
) -> Result<(Organization, User), Error> {
    // Looked up first, so that a name that is taken leaves no organization without an admin.
    if store.sign_in().account(&username).await?.is_some() {
        return Err(Error::Invalid("somebody has this username"));
    }
    let directory = store.directory();
    let organization = directory
        .create_organization(organization, vec![PlanFeature::AgentAi])
        .await?;
    let admin = NewUser {
        username,
        full_name,
        role: Role::Admin,
        extra_permissions: Vec::new(),
        password_hash: password::hash(password.into()).await?,
    };
    let admin = directory.create_user(organization.id, admin).await?;
    Ok((organization, admin.record))
}

#[cfg(test)]
mod tests {
    use local::engines::Engines;

    use super::*;

    #[test]
    fn short_names_and_passwords_are_refused() {
        assert!(check("al", "twelve chars").is_err());
        assert!(check("ada", "eleven char").is_err());
        assert!(check("ada", "twelve chars").is_ok());
    }

    #[tokio::test]
    async fn the_admin_can_sign_in_and_the_username_is_taken_from_then_on() {
        let engines = Engines::in_memory().await.unwrap();
        let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
        let create = || {
            let [organization, username, full_name, password] =
                ["Halden", "Ada", "Ada Lindqvist", "twelve chars"].map(str::to_owned);
            create(&store, organization, username, full_name, password)
        };
        let (organization, user) = create().await.unwrap();
        let account = store.sign_in().account("ada").await.unwrap().unwrap();
        assert_eq!(
            (account.organization_id, account.user_id),
            (organization.id, user.id)
        );
        assert_eq!(user.role, Role::Admin);
        let hash = Some(account.password_hash);
        assert!(password::verify("twelve chars".into(), hash).await.unwrap());
        assert!(create().await.is_err());
    }
}
