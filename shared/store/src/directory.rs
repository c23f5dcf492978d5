//! Organizations, users, projects, phases and tags.

use model::{
    Description, Error, Fault, FaultCode, Id, Organization, OrganizationId, PasswordHash,
    Permission, Phase, PlanFeature, Project, ProjectId, ProjectStatus, ReferenceId, ReferenceType,
    Role, Tag, Timestamp, Title, User, UserId,
};
use serde::{Deserialize, Serialize};

use super::{
    Permit, Store,
    key::{self, Key},
    sessions::end_all,
    sign_in::{Account, fold},
    table::{Change, Condition, OrNotFound, Record, Write},
};

/// Organizations, users, projects, phases and tags.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a>(pub(super) &'a Store);

/// What a user begins with.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// 3 to 64 characters, unique in the service without regard to case.
    pub username: String,
    /// Name to show.
    pub full_name: String,
    /// What the user may do.
    pub role: Role,
    /// Permissions beyond the role's.
    pub extra_permissions: Vec<Permission>,
    /// What a password is compared with.
    pub password_hash: PasswordHash,
}

/// What a project begins with.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// What it is called.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands.
    pub status: ProjectStatus,
}

impl Record for Organization {
    const KIND: &'static str = "organization";

    fn key(&self) -> Key<Self> {
        key::organization(self.id)
    }
}

impl Record for User {
    const KIND: &'static str = "user";

    fn key(&self) -> Key<Self> {
        key::user(self.organization_id, self.id)
    }
}

impl Record for Project {
    const KIND: &'static str = "project";

    fn key(&self) -> Key<Self> {
        key::project(self.organization_id, self.id)
    }
}

impl Record for Phase {
    const KIND: &'static str = "phase";

    fn key(&self) -> Key<Self> {
        key::phase(self.organization_id, self.id)
    }
}

impl Record for Tag {
    const KIND: &'static str = "tag";

    fn key(&self) -> Key<Self> {
        key::tag(self.organization_id, self.id)
    }
}

/// What reference search filters: small, so that a search reads little.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reference {
    pub(super) organization_id: OrganizationId,
    pub(super) refers_to: ReferenceType,
    pub(super) id: ReferenceId,
    /// The title's words in folded form, each with a space before it, so that ` ac` is in it
    /// exactly when a word begins with `ac`.
    pub(super) words: String,
    pub(super) created_at: Timestamp,
}

impl Record for Reference {
    const KIND: &'static str = "reference";

    fn key(&self) -> Key<Self> {
        key::reference(self)
    }
}

/// The organization's running totals.
pub(super) mod totals {
    /// Projects with status active.
    pub(crate) const ACTIVE_PROJECTS: &str = "activeProjects";
    /// Manual minutes that succeeded automated actions saved.
    pub(crate) const MINUTES_SAVED: &str = "minutesSaved";
}

/// A text's words in folded form, as [`Reference::words`] has them.
pub(super) fn words(text: &str) -> Vec<String> {
    caseless::default_case_fold_str(text)
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!(" {word}"))
        .collect()
}

impl Directory<'_> {
    /// Creates an organization.
    pub async fn create_organization(
        &self,
        name: String,
        plan_features: Vec<PlanFeature>,
    ) -> Result<Organization, Error> {
        let now = self.0.clock.now();
        let organization = Organization {
            id: self.0.next_id().await?,
            name,
            plan_features,
            created_at: now,
            updated_at: now,
        };
        let reference = Reference {
            organization_id: organization.id,
            refers_to: ReferenceType::Organization,
            id: organization.id.into(),
            words: words(&organization.name).concat(),
            created_at: now,
        };
        self.0
            .create_all(vec![
                Write::create(&organization)?,
                Write::create(&reference)?,
            ])
            .await?;
        Ok(organization)
    }

    /// Creates a user with an account. 400 when the username is taken.
    pub async fn create_user(
        &self,
        permit: impl Into<Permit>,
        new: NewUser,
    ) -> Result<User, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let id = permit.beside(self.0.next_id()).await?;
        let now = self.0.clock.now();
        let account = Account {
            username: fold(&new.username),
            organization_id: tenant,
            user_id: id,
            password_hash: new.password_hash,
        };
        let user = User {
            id,
            organization_id: tenant,
            username: new.username,
            full_name: new.full_name,
            role: new.role,
            extra_permissions: new.extra_permissions,
            disabled: false,
            session_epoch: 0,
            kept_session: None,
            token_epoch: 0,
            created_at: now,
            updated_at: now,
        };
        let writes = vec![Write::create(&account)?, Write::create(&user)?];
        match self.0.table.transact(writes).await? {
            Ok(()) => Ok(user),
            Err(refused) if refused.at(0) => Err(Error::invalid(Fault::at(
                "username",
                FaultCode::Taken,
                "Another user has this username.",
            ))),
            Err(_) => Err(Error::internal("creating a user", "the id is taken")),
        }
    }

    /// Replaces a user's password, which ends all of the user's sessions and tokens. 404 when the
    /// user is not the tenant's.
    pub async fn change_password(
        &self,
        permit: impl Into<Permit>,
        user: &User,
        password_hash: PasswordHash,
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
        let now = self.0.clock.now();
        let writes = vec![
            Write::update(
                key::account(&fold(&user.username)),
                Change::default().set("passwordHash", password_hash.expose()),
                Condition::exists(),
            ),
            Write::update(
                key::user(tenant, user.id),
                end_all(Change::default()).set("updatedAt", now),
                Condition::exists(),
            ),
        ];
        let done = self.0.table.transact(writes).await?;
        done.or_not_found(UserId::NOUN)
    }

    /// Disables a user, which ends all of the user's sessions and tokens, or enables it again.
    pub async fn disable_user(
        &self,
        permit: impl Into<Permit>,
        user: UserId,
        disabled: bool,
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
        let mut change = Change::default();
        if disabled {
            change = end_all(change);
        }
        let change = change
            .set("disabled", disabled)
            .set("updatedAt", self.0.clock.now());
        let write = Write::update(key::user(tenant, user), change, Condition::exists());
        let done = self.0.table.write(write).await?;
        done.or_not_found(UserId::NOUN)
    }

    /// Creates a project, counts it if it is active, and lets reference search find it.
    pub async fn create_project(
        &self,
        permit: impl Into<Permit>,
        new: NewProject,
    ) -> Result<Project, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let id = permit.beside(self.0.next_id::<ProjectId>()).await?;
        let now = self.0.clock.now();
        let project = Project {
            id,
            organization_id: tenant,
            title: new.title,
            description: new.description,
            status: new.status,
            created_at: now,
            updated_at: now,
        };
        let reference = Reference {
            organization_id: tenant,
            refers_to: ReferenceType::Project,
            id: id.into(),
            words: words(&project.title).concat(),
            created_at: now,
        };
        let mut writes = vec![Write::create(&project)?, Write::create(&reference)?];
        if project.status == ProjectStatus::Active {
            writes.push(Write::update(
                key::totals(tenant),
                Change::default().add(totals::ACTIVE_PROJECTS, 1),
                Condition::default(),
            ));
        }
        self.0.create_all(writes).await?;
        Ok(project)
    }

    /// Creates a phase of a project.
    pub async fn create_phase(
        &self,
        permit: impl Into<Permit>,
        project: ProjectId,
        title: Title,
        order: i64,
    ) -> Result<Phase, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let id = permit.beside(self.0.next_id()).await?;
        let now = self.0.clock.now();
        let phase = Phase {
            id,
            organization_id: tenant,
            project_id: project,
            title,
            order,
            created_at: now,
            updated_at: now,
        };
        let writes = vec![
            Write::check(key::project(tenant, project), Condition::exists()),
            Write::create(&phase)?,
        ];
        let done = self.0.table.transact(writes).await?;
        done.or_not_found(ProjectId::NOUN)?;
        Ok(phase)
    }

    /// Creates a tag.
    pub async fn create_tag(&self, permit: impl Into<Permit>, name: String) -> Result<Tag, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let id = permit.beside(self.0.next_id()).await?;
        let now = self.0.clock.now();
        let tag = Tag {
            id,
            organization_id: tenant,
            name,
            created_at: now,
            updated_at: now,
        };
        self.0.create(&tag).await?;
        Ok(tag)
    }
}
