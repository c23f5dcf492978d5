//! `first-organization`: what a deployed table needs before anybody can sign in.

use std::{io, process::ExitCode};

use shared::{
    Error,
    auth::password,
    clock::Clock,
    model::{Organization, PlanFeature, Role, User},
    store::{NewUser, Store},
};

use crate::{console, process};

const USAGE: &str = "\
Creates an organization with every plan feature, and its first admin, whose password is read from
standard input.

Usage: first-organization TABLE ORGANIZATION USERNAME FULL_NAME

Table and credentials are found as the AWS SDK finds them.";

/// Characters that a password has at least.
const SHORTEST_PASSWORD: usize = 12;

/// Runs `first-organization` and gives its exit code.
pub async fn main() -> ExitCode {
    let given: Vec<String> = process::arguments()
        .filter_map(|one| one.into_string().ok())
        .collect();
    let [table, organization, username, full_name] = given.as_slice() else {
        console::fail(USAGE);
        return ExitCode::FAILURE;
    };
    let mut password = String::new();
    if let Err(error) = io::stdin().read_line(&mut password) {
        console::fail(&error.to_string());
        return ExitCode::FAILURE;
    }
    let password = password.trim_end_matches(['\r', '\n']);
    if let Some(problem) = problem(username, password) {
        console::fail(problem);
        return ExitCode::FAILURE;
    }
    let client = aws_sdk_dynamodb::Client::new(&shared::config::aws().await);
    let store = Store::new(client, table, Clock::system());
    match create(&store, organization, username, full_name, password).await {
        Ok((organization, user)) => {
            let (id, name) = (organization.id, organization.name);
            console::say(&format!(
                "Organization {id}, {name}; admin {}.",
                user.username
            ));
            ExitCode::SUCCESS
        }
        Err(error) => {
            console::fail(&error.chain());
            ExitCode::FAILURE
        }
    }
}

fn problem(username: &str, password: &str) -> Option<&'static str> {
    if !(3..=64).contains(&username.chars().count()) {
        Some("a username has 3 to 64 characters")
    } else if password.chars().count() < SHORTEST_PASSWORD {
        Some("a password has 12 characters or more")
    } else {
        None
    }
}

async fn create(
    store: &Store,
    organization: &str,
    username: &str,
    full_name: &str,
    password: &str,
) -> Result<(Organization, User), Error> {
    // Looked up first, so that a name that is taken leaves no organization without an admin.
    if store.sign_in().account(username).await?.is_some() {
        return Err(Error::conflict("taken", "Somebody has this username."));
    }
    let directory = store.directory();
    let organization = directory
        .create_organization(organization.to_owned(), vec![PlanFeature::AgentAi])
        .await?;
    let admin = NewUser {
        username: username.to_owned(),
        full_name: full_name.to_owned(),
        role: Role::Admin,
        extra_permissions: Vec::new(),
        password_hash: password::hash(password.to_owned()).await?,
    };
    let admin = directory.create_user(organization.id, admin).await?;
    Ok((organization, admin))
}

#[cfg(test)]
mod tests {
    use shared::auth::password;

    use super::*;
    use crate::engines::Engines;

    #[test]
    fn short_names_and_passwords_are_refused() {
        assert!(problem("al", "twelve chars").is_some());
        assert!(problem("ada", "eleven char").is_some());
        assert!(problem("ada", "twelve chars").is_none());
    }

    #[tokio::test]
    async fn the_admin_can_sign_in_and_the_username_is_taken_from_then_on() {
        let engines = Engines::in_memory().await.unwrap();
        let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
        let create = || create(&store, "Halden", "Ada", "Ada Lindqvist", "twelve chars");
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
