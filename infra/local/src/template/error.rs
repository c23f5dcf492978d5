//! Errors of the template.

/// A template cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The text is not YAML of the right shape.
    #[error("the template cannot be read: {0}")]
    Syntax(#[from] serde_saphyr::Error),
    /// A resource that the local stack needs is missing.
    #[error("the template has no resource {0:?}")]
    MissingResource(String),
    /// A resource has an unexpected type.
    #[error("resource {name:?} has the type {found:?}, not {expected:?}")]
    WrongType {
        /// Logical name of the resource.
        name: String,
        /// Expected type.
        expected: &'static str,
        /// Actual type.
        found: String,
    },
    /// A property is absent or malformed.
    #[error("resource {name:?}: {problem}")]
    Properties {
        /// Logical name of the resource.
        name: String,
        /// The property and its problem.
        problem: String,
    },
}

impl TemplateError {
    pub(super) fn properties(name: &str, problem: impl Into<String>) -> Self {
        Self::Properties {
            name: name.to_owned(),
            problem: problem.into(),
        }
    }
}
