//! What an endpoint needs of its caller, as types: the argument `Caller<need::CreateTask>` cannot
//! be left out without the handler losing its caller.

use model::{Error, Organization, Permission, PlanFeature, User};

/// A requirement that is checked before the body is read.
pub trait Need: Send + Sync + 'static {
    /// 403 unless the user and the organization's plan have it.
    fn check(user: &User, organization: &Organization) -> Result<(), Error>;
}

macro_rules! permissions {
    ($($name:ident),* $(,)?) => {$(
        #[doc = concat!("The permission [`Permission::", stringify!($name), "`].")]
        #[derive(Debug)]
        pub struct $name;

        impl Need for $name {
            fn check(user: &User, _: &Organization) -> Result<(), Error> {
                permission(user, Permission::$name)
            }
        }
    )*};
}

permissions! {
    ViewWork,
    ViewManagedServices,
    CreateServiceRequest,
    CommentServiceRequest,
    CreateTask,
    UpdateTask,
    CreateActivity,
    CommentActivity,
    TagActivity,
    ReplyTicket,
    DeleteTask,
    ManageMilestones,
    ViewAgentRemediation,
    CreateAgentRemediation,
    ExecuteAgentRemediation,
}

/// A session, and nothing more.
#[derive(Debug)]
pub struct SignedIn;

impl Need for SignedIn {
    fn check(_: &User, _: &Organization) -> Result<(), Error> {
        Ok(())
    }
}

/// A permission, and a plan with the resolution agent.
#[derive(Debug)]
pub struct WithAgent<P>(std::marker::PhantomData<fn() -> P>);

impl<P: Need> Need for WithAgent<P> {
    fn check(user: &User, organization: &Organization) -> Result<(), Error> {
        P::check(user, organization)?;
        if organization.plan_features.contains(&PlanFeature::AgentAi) {
            Ok(())
        } else {
            Err(Error::forbidden(
                "plan_feature_unavailable",
                "Your organization's plan does not include agentAI.",
            ))
        }
    }
}

/// 403 unless the user has the permission.
pub fn permission(user: &User, permission: Permission) -> Result<(), Error> {
    if user.may(permission) {
        Ok(())
    } else {
        Err(Error::forbidden(
            "permission_denied",
            format!("This needs the permission {}.", permission.name()),
        ))
    }
}
