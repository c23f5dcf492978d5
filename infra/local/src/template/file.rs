//! The file of the template: its resources by name and type.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    error::TemplateError,
    stream_source::{StreamProperties, StreamSource},
};

/// Resource type of functions.
const FUNCTION: &str = "AWS::Serverless::Function";

/// Type of an event source: the stream of a table.
const STREAM: &str = "DynamoDB";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct File {
    globals: Globals,
    resources: BTreeMap<String, Resource>,
}

/// Defaults of all functions.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Globals {
    function: FunctionGlobals,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct FunctionGlobals {
    timeout: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Function {
    code_uri: String,
    /// Time limit in seconds.
    timeout: Option<u64>,
    #[serde(default)]
    events: BTreeMap<String, Event>,
}

/// An event source of a function.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    r#type: String,
    #[serde(default)]
    properties: Value,
}

impl Function {
    /// Returns the name of the function's package: its folder's name.
    pub(super) fn package(&self) -> &str {
        let folder = self.code_uri.trim_end_matches('/');
        folder
            .rsplit('/')
            .next()
            .unwrap_or(folder)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    r#type: String,
    #[serde(default)]
    properties: Value,
}

impl File {
    pub(super) fn properties<T: DeserializeOwned>(
        &self,
        name: &str,
        expected: &'static str,
    ) -> Result<T, TemplateError> {
        let resource = self
            .resources
            .get(name)
            .ok_or_else(|| TemplateError::MissingResource(name.to_owned()))?;
        if resource.r#type != expected {
            return Err(TemplateError::WrongType {
                name: name.to_owned(),
                expected,
                found: resource.r#type.clone(),
            });
        }
        // A resource without `Properties` has the defaults of all properties.
        let properties = match &resource.properties {
            Value::Null => Value::Object(serde_json::Map::new()),
            value => value.clone(),
        };
        T::deserialize(properties)
            .map_err(|error| TemplateError::properties(name, error.to_string()))
    }

    pub(super) fn function(&self, name: &str) -> Result<Function, TemplateError> {
        self.properties(name, FUNCTION)
    }

    pub(super) fn timeouts(&self) -> Result<BTreeMap<String, Duration>, TemplateError> {
        self.names_of(FUNCTION)
            .map(|name| {
                let function = self.function(name)?;
                let seconds = function
                    .timeout
                    .unwrap_or(self.globals.function.timeout);
                Ok((function.package().to_owned(), Duration::from_secs(seconds)))
            })
            .collect()
    }

    /// Returns the functions' shares of the stream by package name.
    pub(super) fn streams(&self) -> Result<BTreeMap<String, StreamSource>, TemplateError> {
        let mut streams = BTreeMap::new();
        for name in self.names_of(FUNCTION) {
            let function = self.function(name)?;
            let mut events = function.events.values();
            let Some(event) = events.find(|event| event.r#type == STREAM) else {
                continue;
            };
            let properties = StreamProperties::deserialize(&event.properties);
            let properties = properties.map_err(|error| error.to_string());
            let source = properties.and_then(StreamSource::read);
            let source = source.map_err(|problem| TemplateError::properties(name, problem))?;
            streams.insert(function.package().to_owned(), source);
        }
        Ok(streams)
    }

    /// Returns the names of a type's resources in alphabetical order.
    pub(super) fn names_of(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.resources
            .iter()
            .filter(move |(_, resource)| resource.r#type == kind)
            .map(|(name, _)| name.as_str())
    }
}
