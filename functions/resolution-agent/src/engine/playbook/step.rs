//! The steps of an action, with their calls.

use serde::Deserialize;
use shared::agent::{AlreadyDone, AnswerCondition, METHODS, Reconciliation};

use super::{condition::Many, flaw::CallFlaw, verify::Reconcile};
use crate::engine::template::{Body, Template};

/// A step of an action.
#[derive(Debug, Deserialize)]
#[serde(try_from = "StepInFile")]
pub(super) struct Step {
    pub(super) description: Template,
    /// None for a step that a person does.
    pub(super) call: Option<Call>,
    /// A dry run of the call.
    pub(super) dry_run: Option<DryCall>,
}

/// A call by which the system reports the effect of its step's call without performing it.
#[derive(Debug)]
pub(super) struct DryCall {
    pub(super) call: Call,
    /// A non-GET declared free of side effects.
    pub(super) is_harmless: bool,
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
    pub(super) not_done: Vec<u16>,
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
    /// Statuses besides 429 by which the system guarantees that nothing was done.
    #[serde(default)]
    not_done: Vec<u16>,
    dry_run: Option<DryRunInFile>,
}

/// A dry run in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DryRunInFile {
    method: String,
    path: Template,
    body: Option<Body>,
    /// Required for a non-GET.
    #[serde(default)]
    harmless: bool,
}

impl TryFrom<StepInFile> for Step {
    type Error = CallFlaw;

    fn try_from(step: StepInFile) -> Result<Self, CallFlaw> {
        let call = match (step.method, step.path) {
            (Some(method), Some(path)) => Some(Call {
                method,
                path,
                body: step.body,
                expect: step.expect,
                already_done: step.already_done,
                success: step.success.0,
                not_done: step.not_done,
                reconcile: step.reconcile,
            }),
            (None, None) if step.reconcile.is_some() || !step.success.0.is_empty() => {
                return Err(CallFlaw::Half);
            }
            (None, None) => None,
            _ => return Err(CallFlaw::Half),
        };
        call.as_ref().map_or(Ok(()), Call::check)?;
        let dry_run = step.dry_run.map(DryCall::try_from).transpose()?;
        if call.is_none() && dry_run.is_some() {
            return Err(CallFlaw::Half);
        }
        Ok(Self {
            description: step.description,
            call,
            dry_run,
        })
    }
}

impl TryFrom<DryRunInFile> for DryCall {
    type Error = CallFlaw;

    fn try_from(file: DryRunInFile) -> Result<Self, CallFlaw> {
        if file.method != "GET" && !file.harmless {
            return Err(CallFlaw::Harm(file.method));
        }
        let call = Call {
            method: file.method,
            path: file.path,
            body: file.body,
            expect: vec![200],
            already_done: Vec::new(),
            not_done: Vec::new(),
            success: Vec::new(),
            reconcile: None,
        };
        call.check()?;
        let is_harmless = file.harmless;
        Ok(Self { call, is_harmless })
    }
}

impl Call {
    fn check(&self) -> Result<(), CallFlaw> {
        if !METHODS.contains(&self.method.as_str()) {
            return Err(CallFlaw::Method(self.method.clone()));
        }
        if !self.path.is_path() {
            return Err(CallFlaw::Path);
        }
        let is_success = |status: &u16| (200..300).contains(status);
        if self.expect.is_empty() || !self.expect.iter().all(is_success) {
            return Err(CallFlaw::Expect);
        }
        if self.expect.contains(&202) && self.success.is_empty() {
            return Err(CallFlaw::Accepted);
        }
        let may_pass = |status: &u16| *status == 425 || (500..600).contains(status);
        if !self.not_done.iter().all(may_pass) {
            return Err(CallFlaw::NotDone);
        }
        let is_sound = |one: &AnswerCondition| is_pointer(&one.at) && !one.is.is_empty();
        if !self.success.iter().all(is_sound) {
            return Err(CallFlaw::Success);
        }
        Ok(())
    }

    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        let in_body = self.body.as_ref().map(Body::placeholders);
        let in_body = in_body.unwrap_or_default();
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
