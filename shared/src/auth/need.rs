//! What an endpoint needs of its caller, as types: the argument `Caller<need::CreateTask>` cannot
//! be left out without the handler losing its caller.

use std::marker::PhantomData;

pub use model::need::*;
use model::{Code, Error, NamedPermission, Permission, PlanFeature};

use super::Identity;

/// A requirement that is checked before anything is written or answered.
pub trait Need: Send + Sync + 'static {
    /// Whether a token that may do it does as well as a session.
    const TAKES_TOKENS: bool = true;

    /// 403 unless the caller and the organization's plan have it.
    fn check(caller: &Identity) -> Result<(), Error>;

    /// Names of what is needed, for people.
    fn names() -> Vec<String>;

    /// The refusals that it may come to.
    fn codes() -> Vec<Code>;
}

impl<P: NamedPermission> Need for P {
    fn check(caller: &Identity) -> Result<(), Error> {
        permission(caller, P::PERMISSION)
    }

    fn names() -> Vec<String> {
        vec![P::PERMISSION.name().to_owned()]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied]
    }
}

/// A session or a token, and nothing more.
#[derive(Debug)]
pub struct SignedIn;

impl Need for SignedIn {
    fn check(_: &Identity) -> Result<(), Error> {
        Ok(())
    }

    fn names() -> Vec<String> {
        vec!["a session or a token".to_owned()]
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

/// A session: what concerns the account itself is out of a token's reach, so that whoever finds one
/// neither makes others nor locks its owner out.
#[derive(Debug)]
pub struct Session;

impl Need for Session {
    const TAKES_TOKENS: bool = false;

    fn check(caller: &Identity) -> Result<(), Error> {
        caller.session().map(|_| ())
    }

    fn names() -> Vec<String> {
        vec!["a session".to_owned()]
    }

    fn codes() -> Vec<Code> {
        vec![Code::SessionRequired]
    }
}

/// A permission, and a session to use it in.
#[derive(Debug)]
pub struct InSession<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for InSession<P> {
    const TAKES_TOKENS: bool = false;

    fn check(caller: &Identity) -> Result<(), Error> {
        P::check(caller)?;
        caller.session().map(|_| ())
    }

    fn names() -> Vec<String> {
        vec![P::PERMISSION.name().to_owned(), "a session".to_owned()]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied, Code::SessionRequired]
    }
}

/// A permission, and a plan with the resolution agent.
#[derive(Debug)]
pub struct WithAgent<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for WithAgent<P> {
    fn check(caller: &Identity) -> Result<(), Error> {
        P::check(caller)?;
        if caller
            .organization
            .plan_features
            .contains(&PlanFeature::AgentAi)
        {
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
/// [`Caller::created_or_may`](super::Caller::created_or_may). A token that names permissions needs
/// this one even for what its owner created.
#[derive(Debug)]
pub struct OwnOr<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for OwnOr<P> {
    fn check(_: &Identity) -> Result<(), Error> {
        Ok(())
    }

    fn names() -> Vec<String> {
        vec![format!("its creator, or {}", P::PERMISSION.name())]
    }

    fn codes() -> Vec<Code> {
        vec![Code::PermissionDenied]
    }
}

/// 403 unless the caller has the permission.
pub fn permission(caller: &Identity, permission: Permission) -> Result<(), Error> {
    if caller.may(permission) {
        Ok(())
    } else {
        let detail = format!("This needs the permission {}.", permission.name());
        Err(Error::forbidden(Code::PermissionDenied, detail))
    }
}
