//! What an endpoint needs of its caller, as types: the argument `Caller<need::CreateTask>` cannot
//! be left out without the handler losing its caller.

use std::marker::PhantomData;

pub use model::need::*;
use model::{Code, Error, NamedPermission, Organization, Permission, PlanFeature, User};

/// A requirement that is checked before anything is written or answered.
pub trait Need: Send + Sync + 'static {
    /// 403 unless the user and the organization's plan have it.
    fn check(user: &User, organization: &Organization) -> Result<(), Error>;

    /// Names of what is needed, for people.
    fn names() -> Vec<&'static str>;

    /// The refusals that it may come to.
    fn codes() -> Vec<Code>;
}

impl<P: NamedPermission> Need for P {
    fn check(user: &User, _: &Organization) -> Result<(), Error> {
        permission(user, P::PERMISSION)
    }

    fn names() -> Vec<&'static str> {
        vec![P::PERMISSION.name()]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied]
    }
}

/// A session, and nothing more.
#[derive(Debug)]
pub struct SignedIn;

impl Need for SignedIn {
    fn check(_: &User, _: &Organization) -> Result<(), Error> {
        Ok(())
    }

    fn names() -> Vec<&'static str> {
        vec!["a session"]
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

/// A permission, and a plan with the resolution agent.
#[derive(Debug)]
pub struct WithAgent<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for WithAgent<P> {
    fn check(user: &User, organization: &Organization) -> Result<(), Error> {
        P::check(user, organization)?;
        if organization.plan_features.contains(&PlanFeature::AgentAi) {
            Ok(())
        } else {
            Err(Error::forbidden(
                Code::PlanFeatureUnavailable,
                "Your organization's plan does not include agentAI.",
            ))
        }
    }

    fn names() -> Vec<&'static str> {
        vec![P::PERMISSION.name(), "plan agentAI"]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied, Code::PlanFeatureUnavailable]
    }
}

/// 403 unless the user has the permission.
pub fn permission(user: &User, permission: Permission) -> Result<(), Error> {
    if user.may(permission) {
        Ok(())
    } else {
        let detail = format!("This needs the permission {}.", permission.name());
        Err(Error::forbidden(Code::PermissionDenied, detail))
    }
}
