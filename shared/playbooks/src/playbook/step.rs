use agent::{
    action::AlreadyDone,
    check::{AnswerCondition, Reconciliation},
    connection::METHODS,
};
use serde::Deserialize;

use super::{
    condition::Many,
    flaw::{NO_PATH, none_of},
    verify::Reconcile,
};
use crate::template::{Body, Template};

#[derive(Debug, Deserialize)]
#[serde(try_from = "StepInFile")]
pub(super) struct Step {
    pub(super) description: Template,
    /// None for a step that a person does.
    pub(super) call: Option<Call>,
}

/// A call of a target system, with placeholders in path and body.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: String,
    pub(super) path: Template,
    pub(super) body: Option<Body>,
    pub(super) expect: Vec<u16>,
    pub(super) already_done: Vec<AlreadyDone>,
    pub(super) success: Vec<AnswerCondition>,
    pub(super) reconcile: Option<Reconcile>,
}

/// A step in the file, with its call's members side by side.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepInFile {
    description: Template,
    method: Option<String>,
    path: Option<Template>,
    body: Option<Body>,
    #[serde(default)]
    expect: Vec<u16>,
    #[serde(default)]
    already_done: Vec<AlreadyDone>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default)]
    success: Many<AnswerCondition>,
    /// Conditions that show whether the call took effect when its answer does not.
    reconcile: Option<Reconcile>,
}

impl TryFrom<StepInFile> for Step {
    type Error = String;

    fn try_from(step: StepInFile) -> Result<Self, String> {
        let call = match (step.method, step.path) {
            (Some(method), Some(path)) => Some(Call {
                method,
                path,
                body: step.body,
                expect: step.expect,
                already_done: step.already_done,
                success: step.success.0,
                reconcile: step.reconcile,
            }),
            (None, None) if step.reconcile.is_none() && step.success.0.is_empty() => None,
            _ => return Err("a call has a method and a path".to_owned()),
        };
        call.as_ref().map_or(Ok(()), Call::check)?;
        Ok(Self {
            description: step.description,
            call,
        })
    }
}

impl Call {
    fn check(&self) -> Result<(), String> {
        let is_success = |status: &u16| (200..300).contains(status);
        let is_sound = |one: &AnswerCondition| is_pointer(&one.at) && !one.is.is_empty();
        if !METHODS.contains(&self.method.as_str()) {
            return Err(format!("{:?} is no method", self.method));
        }
        let flaws = [
            (!self.path.is_path(), NO_PATH),
            (
                self.expect.is_empty() || !self.expect.iter().all(is_success),
                "a call expects at least one status, all of them 2xx",
            ),
            // The system has accepted the call, but says nothing of its result.
            (
                self.expect.contains(&202) && self.success.is_empty(),
                "202 is no success by itself: success says what the body has to",
            ),
            (
                !self.success.iter().all(is_sound),
                "success stands at a JSON pointer, and is at least one value",
            ),
        ];
        none_of("", flaws)
    }

    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        let in_body = self.body.iter().flat_map(Body::placeholders);
        self.path.placeholders().chain(in_body)
    }
}

impl Step {
    pub(super) fn reconcile(&self) -> Option<Reconciliation> {
        let reconcile = self.call.as_ref()?.reconcile.as_ref()?;
        Some(reconcile.conditions())
    }
}

/// True for a JSON pointer (RFC 6901) to a member.
pub(super) fn is_pointer(text: &str) -> bool {
    let mut after = text.split('~').skip(1);
    text.starts_with('/') && after.all(|rest| rest.starts_with(['0', '1']))
}
