//! Flaws of playbooks.

use agent::ActionType;

/// The reason why a playbook cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    /// Invalid TOML, or a field that is missing, unknown or invalid.
    #[error("{0}")]
    Malformed(#[from] toml::de::Error),
    /// The name differs from the file's name.
    #[error("it calls itself {0:?}")]
    Name(String),
    /// The version is 0.
    #[error("versions count from 1")]
    Version,
    /// The match has conditions but no class.
    #[error("it matches alerts of any class, and is not the fallback")]
    AnyClass,
    /// Another playbook has the same match.
    #[error("another one matches the same")]
    Twin,
    /// No actions.
    #[error("it has no actions")]
    NoActions,
    /// A parameter has the name of a given text.
    #[error("{0} is given and cannot be a parameter")]
    Given(&'static str),
    /// A text names neither a given text nor a parameter.
    #[error("{{{0}}} is unknown")]
    Unknown(String),
    /// The path of a read names neither a parameter nor a fact of an earlier read.
    #[error("{{{0}}} is no parameter or earlier fact that a read may use")]
    NoParameter(String),
    /// An action has no steps.
    #[error("{0:?} has no steps")]
    NoSteps(ActionType),
    /// A manual review is automated, or another action is not.
    #[error("{0:?} is automated, or is not, against its nature")]
    Nature(ActionType),
    /// An automated action saves no minutes.
    #[error("{0:?} saves no minutes")]
    NoMinutes(ActionType),
    /// Two actions have the same key.
    #[error("two actions are called {0:?}")]
    SameKey(String),
    /// An action names itself, or an action that does not exist.
    #[error("{0:?} speaks of {1:?}, which is no other action")]
    NoOther(String, String),
    /// Actions wait for each other.
    #[error("{0:?} comes after itself")]
    Circle(String),
    /// An action comes after one that it excludes.
    #[error("{0:?} comes after what it excludes")]
    AfterExcluded(String),
    /// An automated action has no entity, so its effect cannot be distinguished.
    #[error("{0:?} names no entity that it acts on")]
    NoEntity(ActionType),
    /// Two actions have the same effect, so one of them would always be skipped.
    #[error("{0:?} does the same to the same entity as another action, or shares its lock")]
    SameEffect(String),
    /// More reads than an analysis may send.
    #[error("it has more than 5 reads")]
    ManyReads,
    /// A read is invalid.
    #[error("read {0:?}: {1}")]
    Read(String, &'static str),
    /// A finding is invalid.
    #[error("finding {0:?}: {1}")]
    Finding(String, &'static str),
    /// No read gives the fact.
    #[error("{0:?} is no fact of a read")]
    NoFact(String),
    /// An automated action that moves money does not state it, or another action does.
    #[error("{0:?} says the money that it moves exactly if it moves some by itself")]
    Money(ActionType),
    /// Money has no amount, or has one although a later invoice bills it.
    #[error("{0:?}: money has amount and currency, unless the customer is billed later")]
    Amount(ActionType),
    /// A reconciliation of taken or repaid money has `not_done`.
    #[error(
        "{0:?} takes or repays money: that a read does not show it does not prove that it will not still \
         arrive, so that its reconcile has no not_done"
    )]
    StillComes(ActionType),
    /// An automated action has no `reversible`.
    #[error("{0:?} does not say in reversible how it is taken back, or that it cannot be")]
    Reversible(ActionType),
    /// An action that cannot be undone has a lower risk than critical.
    #[error("{0:?} cannot be undone, so that its risk is critical")]
    Irreversible(ActionType),
    /// A manual action has conditions, which would never be checked.
    #[error("{0:?} is done by a person, and requires and verifies nothing")]
    Looks(ActionType),
    /// A step of an automated action has no call, or a step of a manual action has one.
    #[error("{0:?}: a step calls exactly if it is automated")]
    Calls(ActionType),
}

/// A flaw of a step's call.
#[derive(Debug, thiserror::Error)]
pub enum CallFlaw {
    /// The method or the path is missing.
    #[error("a call has a method and a path")]
    Half,
    /// An unknown method.
    #[error("{0:?} is no method")]
    Method(String),
    /// A placeholder's value could reach beyond its segment of the path.
    #[error("a path begins with a slash, and a placeholder of it is a whole segment")]
    Path,
    /// No status means success, or a status that is no success does.
    #[error("a call expects at least one status, all of them 2xx")]
    Expect,
    /// 202 says that the system has accepted the call, but not its result.
    #[error("202 is no success by itself: success says what the body has to")]
    Accepted,
    /// A success condition has no JSON pointer or no values.
    #[error("success stands at a JSON pointer, and is at least one value")]
    Success,
}
