//! Reasons why a text is refused.

use crate::base::FaultCode;

/// The reason why a text does not fit its type, as the predicate of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongText {
    #[error("hold more than white space")]
    Blank,
    #[error("have {least} to {most} characters")]
    Length { least: usize, most: usize },
    #[error("be a single line without control or format characters, such as U+{:04X}", u32::from(*.0))]
    Hidden(char),
    #[error("consist of letters, digits and the characters . _ @ + -")]
    Name,
    #[error("have letters of one script; Latin ones do not mix with Cyrillic or Greek ones")]
    Scripts,
    #[error("{0}")]
    Common(CommonPassword),
}

/// A password that attackers try first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommonPassword {
    #[error("be none of the 127,000 most common ones")]
    Listed,
    #[error("be more than one repeated character or an ascending run")]
    Run,
    #[error("have twelve characters beside the username and the names of organization and service")]
    Named,
}

impl WrongText {
    pub const fn code(self) -> FaultCode {
        match self {
            Self::Blank => FaultCode::Blank,
            Self::Length { .. } => FaultCode::Length,
            Self::Common(_) => FaultCode::Common,
            Self::Hidden(_) | Self::Name | Self::Scripts => FaultCode::Pattern,
        }
    }
}
