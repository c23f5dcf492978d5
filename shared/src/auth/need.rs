//! Requirements on the caller of an endpoint, as types: `Caller<need::CreateTask>` is the only way
//! for a handler to get its caller.

pub use model::people::need::*;

use std::marker::PhantomData;

use model::{
    base::{Code, Error},
    people::{Demand, NamedPermission, OrdinaryPermission, Permission, PlanFeature},
};

use crate::auth::Identity;

/// A requirement. The layer checks it before a write begins and before the response is sent.
pub trait Need: Send + Sync + 'static {
    /// `true` when a token with the permission is accepted like a session.
    const TAKES_TOKENS: bool = true;

    /// The demand of every write of the operation.
    const DEMAND: Demand = Demand::Nothing;

    /// 403 unless the caller and the organization's plan meet it.
    fn check(caller: &Identity) -> Result<(), Error>;

    /// The requirement in words, for the API document, and the code of a refusal.
    fn names() -> Vec<(String, Option<Code>)>;
}

impl<P: OrdinaryPermission> Need for P {
    fn check(caller: &Identity) -> Result<(), Error> {
        Holds::<P>::check(caller)
    }

    fn names() -> Vec<(String, Option<Code>)> {
        Holds::<P>::names()
    }
}

/// A session or a token, and nothing more.
#[derive(Debug)]
pub struct SignedIn;

impl Need for SignedIn {
    fn check(_: &Identity) -> Result<(), Error> {
        Ok(())
    }

    fn names() -> Vec<(String, Option<Code>)> {
        vec![("a session or a token".to_owned(), None)]
    }
}

/// A session. Changes of the account itself refuse tokens, so that a stolen token neither creates
/// others nor locks its owner out.
#[derive(Debug)]
pub struct OwnSession;

impl Need for OwnSession {
    const TAKES_TOKENS: bool = false;

    fn check(caller: &Identity) -> Result<(), Error> {
        caller.session().map(|_| ())
    }

    fn names() -> Vec<(String, Option<Code>)> {
        vec![("a session".to_owned(), Some(Code::SessionRequired))]
    }
}

/// All that the organization's root asks for: a session, all permissions of an admin, and a new
/// sign-in.
///
/// A caller who meets it may decide who the users of the organization are. An operation with a few
/// guarding fields asks by [`write_demanding`](super::Caller::write_demanding).
#[derive(Debug)]
pub struct Root;

impl Need for Root {
    const TAKES_TOKENS: bool = false;

    const DEMAND: Demand = Demand::Root;

    fn check(caller: &Identity) -> Result<(), Error> {
        caller.held().meets(Demand::Root)
    }

    fn names() -> Vec<(String, Option<Code>)> {
        [RootToRead::names(), NewSignIn::names()].concat()
    }
}

/// As [`Root`], of an operation with no effect. Takes an older sign-in.
#[derive(Debug)]
pub struct RootToRead;

impl Need for RootToRead {
    const TAKES_TOKENS: bool = false;

    fn check(caller: &Identity) -> Result<(), Error> {
        let held = caller.held();
        held.has_session()?;
        held.has_all_of_admins()
    }

    fn names() -> Vec<(String, Option<Code>)> {
        let admin = "all permissions of an admin".to_owned();
        [
            vec![(admin, Some(Code::PermissionDenied))],
            OwnSession::names(),
        ]
        .concat()
    }
}

/// A sign-in of the last 30 minutes.
#[derive(Debug)]
pub struct NewSignIn;

impl Need for NewSignIn {
    const TAKES_TOKENS: bool = false;

    fn check(caller: &Identity) -> Result<(), Error> {
        caller.held().signed_in_newly()
    }

    fn names() -> Vec<(String, Option<Code>)> {
        let sign_in = "a sign-in of the last 30 minutes".to_owned();
        vec![(sign_in, Some(Code::SignInAgain))]
    }
}

/// A permission.
#[derive(Debug)]
pub struct Holds<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for Holds<P> {
    fn check(caller: &Identity) -> Result<(), Error> {
        permission(caller, P::PERMISSION)
    }

    fn names() -> Vec<(String, Option<Code>)> {
        vec![(
            P::PERMISSION.name().to_owned(),
            Some(Code::PermissionDenied),
        )]
    }
}

/// A plan with the agent.
#[derive(Debug)]
pub struct AgentPlan;

impl Need for AgentPlan {
    fn check(caller: &Identity) -> Result<(), Error> {
        let detail = "The plan of your organization does not include agentAI.";
        let lacks = || Error::forbidden(Code::PlanFeatureUnavailable, detail);
        let has = caller
            .organization
            .has(PlanFeature::AgentAi);
        has.then_some(()).ok_or_else(lacks)
    }

    fn names() -> Vec<(String, Option<Code>)> {
        vec![(
            "plan agentAI".to_owned(),
            Some(Code::PlanFeatureUnavailable),
        )]
    }
}

/// Two requirements, checked in this order.
#[derive(Debug)]
pub struct Both<A, B>(PhantomData<fn() -> (A, B)>);

impl<A: Need, B: Need> Need for Both<A, B> {
    const TAKES_TOKENS: bool = A::TAKES_TOKENS && B::TAKES_TOKENS;

    const DEMAND: Demand = match A::DEMAND {
        Demand::Nothing => B::DEMAND,
        demand => demand,
    };

    fn check(caller: &Identity) -> Result<(), Error> {
        A::check(caller)?;
        B::check(caller)
    }

    fn names() -> Vec<(String, Option<Code>)> {
        [A::names(), B::names()].concat()
    }
}

/// A permission and a session. Changes by a guarding permission need it: a stolen token lifts no
/// brake.
pub type InSession<P> = Both<Holds<P>, OwnSession>;

/// A permission, a session and a new sign-in: it lifts a brake.
pub type ToResume<P> = Both<InSession<P>, NewSignIn>;

/// A guarding permission of an operation with no effect. Takes tokens.
pub type ToRead<P> = Holds<P>;

/// A guarding permission of an operation whose only effect is to stop something. Takes tokens: a
/// script may pull the brake.
pub type ToBrake<P> = Holds<P>;

/// A guarding permission of an operation whose names a token may change. Other fields have a
/// [`Demand`].
pub type ToRename<P> = Holds<P>;

/// A permission, possibly in a session, and a plan with the agent.
pub type WithAgent<P> = Both<P, AgentPlan>;

/// To have created the record, or a permission for records of others.
///
/// The creator is known once the record is read. So the layer checks only the session or token, and
/// the operation calls [`Caller::created_or_may`](super::Caller::created_or_may). A token that
/// names permissions needs this one even for records of its owner.
#[derive(Debug)]
pub struct OwnOr<P>(PhantomData<fn() -> P>);

impl<P: NamedPermission> Need for OwnOr<P> {
    fn check(_: &Identity) -> Result<(), Error> {
        Ok(())
    }

    fn names() -> Vec<(String, Option<Code>)> {
        vec![(
            format!("its creator, or {}", P::PERMISSION.name()),
            Some(Code::PermissionDenied),
        )]
    }
}

/// 403 unless the caller has the permission.
pub fn permission(caller: &Identity, permission: Permission) -> Result<(), Error> {
    if caller.may(permission) {
        Ok(())
    } else {
        let detail = format!("This operation needs the permission {}.", permission.name());
        Err(Error::forbidden(Code::PermissionDenied, detail))
    }
}
