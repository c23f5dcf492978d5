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
    fn names() -> Vec<String>;

    /// The refusals that it may come to.
    fn codes() -> Vec<Code>;
}

impl<P: NamedPermission> Need for P {
    fn check(user: &User, _: &Organization) -> Result<(), Error> {
        permission(user, P::PERMISSION)
    }

    fn names() -> Vec<String> {
        vec![P::PERMISSION.name().to_owned()]
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

    fn names() -> Vec<String> {
        vec!["a session".to_owned()]
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

    fn names() -> Vec<String> {
        vec![P::PERMISSION.name().to_owned(), "plan agentAI".to_owned()]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied, Code::PlanFeatureUnavailable]
    }
}

/// To have created the record, or a permission for those of others. Whose record it is shows when it
/// is read, so only the session is checked before; the operation asks
/// [`Caller::created_or_may`](super::Caller::created_or_may).
#[derive(Debug)]
pub struct OwnOr<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for OwnOr<P> {
    fn check(_: &User, _: &Organization) -> Result<(), Error> {
        Ok(())
    }

    fn names() -> Vec<String> {
        vec![format!("its creator, or {}", P::PERMISSION.name())]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied]
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
