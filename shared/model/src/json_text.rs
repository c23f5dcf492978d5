//! Free-form JSON of a client.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

/// A client's JSON object, kept as its text: the table's numbers and names are narrower than
/// JSON's (1e300, for one, does not fit), and nothing in the service looks inside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonText(pub Map<String, Value>);

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(&self.0).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text)
            .map(Self)
            .map_err(de::Error::custom)
    }
}
