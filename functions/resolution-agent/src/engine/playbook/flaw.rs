//! What may be wrong with a playbook.

use shared::model::ActionType;

/// Why a playbook cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    /// It is no TOML, or a field is missing, unknown or not as it should be.
    #[error("{0}")]
    Malformed(#[from] toml::de::Error),
    /// Its name is not that of its file.
    #[error("it calls itself {0:?}")]
    Name(String),
    /// The version is 0.
    #[error("versions count from 1")]
    Version,
    /// It asks something of a signal, and not its class.
    #[error("it matches signals of any class, and is not the fallback")]
    AnyClass,
    /// Another one would be chosen as well.
    #[error("another one matches the same")]
    Twin,
    /// It proposes nothing.
    #[error("it has no actions")]
    NoActions,
    /// A parameter has the name of a text that every playbook has.
    #[error("{0} is given and cannot be a parameter")]
    Given(&'static str),
    /// A text names what is neither given nor a parameter.
    #[error("{{{0}}} is unknown")]
    Unknown(String),
    /// A path or a body names what is no parameter.
    #[error("{{{0}}} is no parameter that a call may use")]
    NoParameter(String),
    /// There is nothing to do for an action.
    #[error("{0:?} has no steps")]
    NoSteps(ActionType),
    /// A review by a person runs by itself, or something else does not.
    #[error("{0:?} is automated, or is not, against its nature")]
    Nature(ActionType),
    /// An automated action that a person would have needed no time for.
    #[error("{0:?} saves no minutes")]
    NoMinutes(ActionType),
    /// Two actions have the same key.
    #[error("two actions are called {0:?}")]
    SameKey(String),
    /// An action speaks of another one that is not there, or of itself.
    #[error("{0:?} speaks of {1:?}, which is no other action")]
    NoOther(String, String),
    /// Actions wait for each other.
    #[error("{0:?} comes after itself")]
    Circle(String),
    /// An action comes after one that excludes it.
    #[error("{0:?} comes after what it excludes")]
    AfterExcluded(String),
    /// Nothing would tell the effect of an automated action from that of another.
    #[error("{0:?} names no entity that it acts on")]
    NoEntity(ActionType),
    /// One of two actions would always be skipped.
    #[error("{0:?} does the same to the same entity as another action")]
    SameEffect(String),
    /// A playbook reads more than an analysis does.
    #[error("it has more than 5 reads")]
    ManyReads,
    /// A read is not as it should be.
    #[error("read {0:?}: {1}")]
    Read(String, &'static str),
    /// A finding is not as it should be.
    #[error("finding {0:?}: {1}")]
    Finding(String, &'static str),
    /// No read gives a fact that something speaks of.
    #[error("{0:?} is no fact of a read")]
    NoFact(String),
    /// An action that moves money does not say how much, or another one does.
    #[error("{0:?} says the money that it moves exactly if it moves some by itself")]
    Money(ActionType),
    /// A call that takes or repays money has a read say that it was not done.
    #[error(
        "{0:?} takes or repays money: that a read does not show it does not prove that it will not still \
         arrive, so that its reconcile has no not_done"
    )]
    StillComes(ActionType),
    /// An automated action does not say how it is taken back.
    #[error("{0:?} does not say in undo how it is taken back, or that it cannot be")]
    NoUndo(ActionType),
    /// A manual action asks something of facts, which nobody would look at.
    #[error("{0:?} is done by a person, and requires and verifies nothing")]
    Looks(ActionType),
    /// A step of an automated action makes no call, or one of a manual action does.
    #[error("{0:?}: a step calls exactly if it is automated")]
    Calls(ActionType),
}

/// What may be wrong with a step's call.
#[derive(Debug, thiserror::Error)]
pub enum CallFlaw {
    /// It lacks its method or its path.
    #[error("a call has a method and a path")]
    Half,
    /// No target system knows the method.
    #[error("{0:?} is no method")]
    Method(String),
    /// A value could reach beyond its place in the path.
    #[error("a path begins with a slash, and a placeholder of it is a whole segment")]
    Path,
    /// No answer would count as success, or one that is none.
    #[error("a call expects at least one status, all of them 2xx")]
    Expect,
    /// 202 says that the system has taken the call, and not what becomes of it.
    #[error("202 is no success by itself: success says what the body has to")]
    Accepted,
    /// What a body is to say stands nowhere, or is nothing.
    #[error("success stands at a JSON pointer, and is at least one value")]
    Success,
    /// An answer that means success, or that there is no such call, would mean that nothing was
    /// done, and that it may be tried again.
    #[error("a status that says not_done is 425 or 5xx")]
    NotDone,
    /// A dry run could do something.
    #[error("a dry run is a GET, or says that it is harmless: {0}")]
    Harm(String),
}
