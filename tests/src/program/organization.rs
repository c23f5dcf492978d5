//! An organization of a program, and its users.

use shared::{
    auth::SessionCookie,
    config::{CookieScope, SigningSecrets},
    model::{
        base::{OrganizationId, Timestamp, quota::UnitsPerSecond},
        people::{PlanFeature, Role, User},
    },
    store::{base::Store, people::PlanChange},
};

use crate::records;

/// The secret that signs the cookies of a program's users.
pub const SECRET: &str = "a secret of the programs of enough letters";

/// A new organization whose plan includes the agent.
pub async fn organization(store: &Store) -> OrganizationId {
    let plan = vec![PlanFeature::AgentAi];
    let directory = store.directory();
    let created = directory.create_organization("Halden Services".into(), plan);
    let id = created.await.unwrap().id;
    // A program asks for more than a client may.
    let plan = PlanChange {
        units_per_second: UnitsPerSecond::new(UnitsPerSecond::MOST),
        features: Some(vec![PlanFeature::AgentAi]),
        ..PlanChange::default()
    };
    directory
        .change_plan(id, plan)
        .await
        .unwrap();
    id
}

/// A user who has signed in.
#[derive(Debug)]
pub struct Member {
    pub user: User,
    /// The value of the session's cookie.
    pub cookie: String,
}

impl Member {
    /// A new user of this name and role, with a session that begins now.
    pub async fn sign_in(
        store: &Store,
        tenant: OrganizationId,
        (name, role): (&str, Role),
        now: Timestamp,
    ) -> Self {
        let new = records::user(name, role, "none");
        let created = store
            .directory()
            .create_user(tenant, new)
            .await;
        let user = created.unwrap().into_stored().record;
        let sid = records::signed_in(store, &user, now).await;
        let secrets = SigningSecrets::new([SECRET.to_owned()]).unwrap();
        let cookie = SessionCookie::new(secrets, CookieScope::SameSite).sign(&sid.to_string());
        Self { user, cookie }
    }
}
