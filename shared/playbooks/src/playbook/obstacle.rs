//! Obstacles of actions and reads.

/// The reason why an automated action cannot run for an alert, or why a read cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Obstacle {
    #[error("the alert does not name the {}", name.replace('_', " "))]
    Missing { name: String },
    #[error("{0}")]
    Unknown(String),
    #[error("it needs that {needs}, which is not known: {why}")]
    NotKnown { needs: String, why: String },
    #[error("the amount of money is not known")]
    NoAmount,
    #[error("there is no connection {0:?}")]
    NotConnected(String),
    #[error("{0} is not allowed")]
    NotAllowed(String),
    #[error("the id of a record is too long")]
    TooLong,
}

impl Obstacle {
    /// Returns the obstacle of an empty placeholder: an unknown fact, or a parameter that the alert
    /// lacks.
    pub(super) fn missing(name: &str) -> Self {
        let name = name.to_owned();
        if name.contains('.') {
            Self::Unknown(format!("{name} is not known"))
        } else {
            Self::Missing { name }
        }
    }
}
