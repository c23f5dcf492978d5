//! Members of projects, and the projects that members alone see.
//!
//! Three items say that a user is a member: the project names its members, the user names the
//! projects, and an item stands between both. One transaction writes them. Each request of a user
//! reads the user. So a removed member sees nothing more with the next request.

use model::{
    base::{Code, Error, Id, ProjectId, Timestamp, UserId},
    people::{Scopes, User, UserRef},
    work::Project,
};
use serde::Serialize;
use table::{
    Condition, OrNotFound, Record, Stored, UpdateExpression, Write,
    page::{Page, PageRequest, Row},
};
use utoipa::ToSchema;

use crate::{
    Result,
    base::{
        Pending, Reader, WriteContext,
        idempotency::Created,
        plan::WritePlan,
        reads::in_first_index,
        record::{any_keys, record},
        records::ProjectMember,
        store::resource,
        writes::Writes,
    },
    key::{self, Keyed},
    people::journal::head_in,
};

resource! { pub Members as members }

pub(super) const MEMBERS: &str = "members";
pub(super) const MEMBER_OF: &str = "memberOf";
const RESTRICTED: &str = "restricted";

record! {
    member: ProjectMember = "project_member",
    key: key::project_member(member.organization_id, member.project_id, member.user_id),
}

record! {
    scopes: Scopes = "scopes",
    key: key::scopes(scopes.organization_id),
    number_sets: [RESTRICTED],
}

/// A member of a project.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ProjectMember)]
#[serde(rename_all = "camelCase")]
pub struct MemberWithUsers {
    user: UserRef,
    /// When the user became a member.
    added_at: Timestamp,
    /// User who added the member; null for the service itself, or if the account is gone.
    added_by: Option<UserRef>,
}

impl Members<'_> {
    /// A project's members, by username. 404 when the project is not the tenant's.
    pub async fn list(
        &self,
        reader: &Reader,
        project: ProjectId,
        wanted: &PageRequest,
    ) -> Result<Page<MemberWithUsers>> {
        let tenant = reader.tenant;
        let members = key::members_of_project(tenant, project).consistent();
        let (_, members) = tokio::try_join!(
            self.0.scoped().get(reader, project),
            self.0.table.list(members),
        )?;
        let mut keys = Vec::new();
        for member in &members {
            keys.push(member.user_id.key(tenant));
            keys.extend(member.added_by.map(|id| id.key(tenant)));
        }
        let batch = self.0.batch(keys).await?;
        let key = |id: UserId| id.key(tenant);
        let rows = members
            .into_iter()
            .filter_map(|member| {
                let user: Stored<User> = batch.named(&key(member.user_id))?;
                let added_by = member
                    .added_by
                    .and_then(|id| batch.named(&key(id)));
                Some(Row {
                    place: in_first_index(&user.record)?,
                    record: MemberWithUsers {
                        user: UserRef::from(&user.record),
                        added_at: member.added_at,
                        added_by: added_by.map(|user| UserRef::from(&user.record)),
                    },
                })
            });
        Ok(Page::sorted(rows.collect(), false, wanted))
    }

    /// Makes a user a member of a project; no change for a member. 404 when the project or the user
    /// is not the tenant's, 409 when the project has 200 members, or the user is a member of 200
    /// projects.
    pub async fn add(&self, pending: impl Pending, project: ProjectId, user: UserId) -> Result<()> {
        self.set(pending, project, user, true)
            .await
    }

    /// Removes a member of a project. 404 when the project is not the tenant's, and for a user who
    /// is no member.
    pub async fn remove(
        &self,
        pending: impl Pending,
        project: ProjectId,
        user: UserId,
    ) -> Result<()> {
        self.set(pending, project, user, false)
            .await
    }

    async fn set(
        &self,
        pending: impl Pending,
        project: ProjectId,
        user: UserId,
        is_member: bool,
    ) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let keys = any_keys![
            project.key(tenant),
            user.key(tenant),
            key::organization_head(tenant)
        ];
        let mut plan = match self.0.plan_once(pending, keys).await? {
            Created::New(plan) => plan,
            Created::Replayed(_) => return Ok(()),
        };
        loop {
            if attempt(&mut plan, project, user, is_member).await? {
                return Ok(());
            }
        }
    }
}

/// Writes a membership as it is to be. Returns false after a conflict.
async fn attempt(
    plan: &mut WritePlan<'_>,
    project: ProjectId,
    user: UserId,
    is_member: bool,
) -> Result<bool> {
    let tenant = plan.context.tenant;
    let read = plan.read().await?;
    plan.context.head = Some(Box::new(head_in(&read, tenant)?));
    let mut draft = plan.draft(&read, project).await?;
    let was_member = draft.before.members.contains(&user);
    let may_join = is_member && read.has(&user.key(tenant));
    (was_member || may_join)
        .then_some(())
        .or_not_found(UserId::NOUN)?;
    if was_member != is_member {
        let after = &mut draft.after.record;
        after.updated_at = draft.now;
        draft.writes = if is_member {
            join(&plan.context, after, user, draft.now)?
        } else {
            leave(after, user)
        };
    }
    Ok(plan.write(draft).await?.is_some())
}

/// Makes the writer a member: a manager cannot lock themselves out.
pub(super) fn join_as_writer(
    context: &WriteContext,
    project: &mut Project,
    now: Timestamp,
) -> Result<Writes> {
    match context.actor {
        Some(user) if !project.members.contains(&user) => join(context, project, user, now),
        _ => Ok(Writes::default()),
    }
}

/// Makes a user a member of a project, which is written with the same transaction.
fn join(
    context: &WriteContext,
    project: &mut Project,
    user: UserId,
    now: Timestamp,
) -> Result<Writes> {
    if project.members.len() >= Project::MOST_MEMBERS {
        let most = Project::MOST_MEMBERS;
        let detail = format!("The project has {most} members, the most allowed. Remove one first.");
        return Err(Error::conflict(Code::TooManyMembers, detail));
    }
    project.members.insert(user);
    let tenant = project.organization_id;
    let mut writes = Writes::from(Write::create(&ProjectMember {
        organization_id: tenant,
        project_id: project.id,
        user_id: user,
        added_at: now,
        added_by: context.actor,
    })?);
    let most = User::MOST_MEMBERSHIPS;
    let named = UpdateExpression::default().put_in_set(MEMBER_OF, project.id);
    let room = Condition::exists().set_below(MEMBER_OF, most);
    let detail = format!("The user is a member of {most} projects, the most allowed.");
    let full = Error::conflict(Code::TooManyMemberships, detail);
    writes.push_or(Write::update(user.key(tenant), named, room), full);
    Ok(writes)
}

fn leave(project: &mut Project, user: UserId) -> Writes {
    project.members.remove(&user);
    let tenant = project.organization_id;
    let member = key::project_member(tenant, project.id, user);
    let mut writes = Writes::from(Write::delete(member, Condition::exists()));
    let named = UpdateExpression::default().take_from_set(MEMBER_OF, project.id);
    writes.push(Write::update(user.key(tenant), named, Condition::exists()));
    writes
}

/// Hides a project from all but its members. 409 with 1,000 such projects.
pub(super) fn restrict(project: &Project) -> Writes {
    let tenant = project.organization_id;
    let most = Scopes::MOST_RESTRICTED;
    let named = UpdateExpression::default()
        .set("kind", Scopes::KIND)
        .set("organizationId", tenant)
        .put_in_set(RESTRICTED, project.id);
    let room = Condition::default().set_below(RESTRICTED, most);
    let detail =
        format!("The organization has {most} projects for members alone, the most allowed.");
    let full = Error::conflict(Code::TooManyRestrictedProjects, detail);
    let mut writes = Writes::default();
    writes.push_or(Write::update(key::scopes(tenant), named, room), full);
    writes
}

/// Shows a project to all.
pub(super) fn open(project: &Project) -> Write {
    let named = UpdateExpression::default().take_from_set(RESTRICTED, project.id);
    let scopes = key::scopes(project.organization_id);
    Write::update(scopes, named, Condition::exists())
}
