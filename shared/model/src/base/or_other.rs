//! Names of records that other versions may extend.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error, IntoDeserializer, value},
};

/// The most bytes of a name that this version does not know.
const MOST: usize = 64;

/// A name that describes a record, such as its status, or grants something, such as a role. During
/// a deployment, a later version may write an unknown name. It is kept as it was read, and grants
/// nothing.
///
/// Another name that decides over effects is not one of these: an unknown state stays unreadable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub enum OrOther<E> {
    /// A name of this version.
    Known(E),
    /// A name of another version, up to 64 bytes.
    Other(Box<str>),
}

impl<E: Copy> OrOther<E> {
    pub const fn known(&self) -> Option<E> {
        match self {
            Self::Known(name) => Some(*name),
            Self::Other(_) => None,
        }
    }
}

impl<E> From<E> for OrOther<E> {
    fn from(name: E) -> Self {
        Self::Known(name)
    }
}

impl<E: Default> Default for OrOther<E> {
    fn default() -> Self {
        Self::Known(E::default())
    }
}

impl<E: PartialEq> PartialEq<E> for OrOther<E> {
    fn eq(&self, name: &E) -> bool {
        matches!(self, Self::Known(value) if value == name)
    }
}

impl<'de, E: DeserializeOwned> Deserialize<'de> for OrOther<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let name: Result<E, value::Error> = E::deserialize(text.as_str().into_deserializer());
        match name {
            Ok(name) => Ok(Self::Known(name)),
            Err(_) if text.len() <= MOST => Ok(Self::Other(text.into())),
            Err(_) => Err(D::Error::invalid_length(text.len(), &"up to 64 bytes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;
    use crate::work::TaskStatus;

    fn read(value: Value) -> Option<OrOther<TaskStatus>> {
        from_value(value).ok()
    }

    #[test]
    fn a_name_is_written_as_it_was_read() {
        let longest = "é".repeat(MOST / 2);
        for text in ["done", "in_progress", "on_hold", "Done", "", &longest] {
            assert_eq!(json!(read(json!(text)).unwrap()), json!(text));
        }
    }

    #[test]
    fn an_unknown_name_is_no_known_one() {
        let done = read(json!("done")).unwrap();
        assert!(done == TaskStatus::Done && done != TaskStatus::Todo);
        let other = read(json!("on_hold")).unwrap();
        assert!(
            TaskStatus::ALL
                .iter()
                .all(|status| other != *status)
        );
        assert_eq!(done.known(), Some(TaskStatus::Done));
        assert_eq!(other.known(), None);
    }

    #[test]
    fn a_value_that_is_no_name_does_not_read() {
        let values = json!([null, 1, {"done": null}, ["done"], "a".repeat(MOST + 1)]);
        for value in values.as_array().unwrap() {
            assert_eq!(read(value.clone()), None, "{value}");
        }
    }
}
