use agent::{
    check::Reconciliation,
    connection::{AlreadyDone, AnswerCondition, METHODS, is_pointer},
};
use serde::Deserialize;

use crate::template::{Body, Template};

use super::{
    condition::{Many, NO_PATH, none_of},
    verify::Reconcile,
};

/// A step. The members of its call, with placeholders in path and body, stand beside the others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) description: Template,
    /// None for a step that a person does, as for `path`.
    pub(super) method: Option<String>,
    pub(super) path: Option<Template>,
    pub(super) body: Option<Body>,
    #[serde(default)]
    pub(super) expect: Vec<u16>,
    #[serde(default)]
    pub(super) already_done: Vec<AlreadyDone>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default)]
    pub(super) success: Many<AnswerCondition>,
    /// Conditions that show whether the call took effect when its answer does not.
    pub(super) reconcile: Option<Reconcile>,
}

impl Step {
    pub(super) fn check(&self) -> Result<(), String> {
        let has_conditions = self.reconcile.is_some() || !self.success.0.is_empty();
        let (method, path) = match (&self.method, &self.path) {
            (Some(method), Some(path)) => (method, path),
            (None, None) if !has_conditions => return Ok(()),
            _ => return Err("a call has a method and a path".to_owned()),
        };
        let is_success = |status: &u16| (200..300).contains(status);
        let is_sound =
            |condition: &AnswerCondition| is_pointer(&condition.at) && !condition.is.is_empty();
        if !METHODS.contains(&method.as_str()) {
            return Err(format!("{method:?} is no method"));
        }
        let no_success = self.expect.is_empty() || !self.expect.iter().all(is_success);
        // The system has accepted the call, but says nothing of its result.
        let is_open = self.expect.contains(&202) && self.success.0.is_empty();
        let flaws = [
            (!path.is_path(), NO_PATH),
            (
                no_success,
                "a call expects at least one status, all of them 2xx",
            ),
            (
                is_open,
                "202 is no success by itself: success says what the body has to",
            ),
            (
                !self.success.0.iter().all(is_sound),
                "success stands at a JSON pointer, and is at least one value",
            ),
        ];
        none_of("", flaws)
    }

    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        let in_body = self
            .body
            .iter()
            .flat_map(Body::placeholders);
        let in_path = self
            .path
            .iter()
            .flat_map(Template::placeholders);
        in_path.chain(in_body)
    }

    pub(super) fn reconcile(&self) -> Option<Reconciliation> {
        self.reconcile
            .as_ref()
            .map(Reconcile::conditions)
    }
}
