/// A setting that is missing or malformed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A required variable is absent: its name and purpose.
    #[error("the environment variable {0} is not set: {1}")]
    Missing(&'static str, &'static str),
    #[error("the environment variable {name} is {problem}")]
    Malformed {
        name: &'static str,
        /// Its value and the expected one.
        problem: String,
    },
    /// A variable does not decrypt: its name and the cause, which never contains a value.
    #[error("the environment variable {name} does not decrypt: {problem}")]
    Encrypted { name: &'static str, problem: String },
}

impl ConfigError {
    pub fn malformed(name: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Malformed { name, problem }
    }
}
