//! A playbook's actions for one signal.

use shared::model::{
    ActionStep, ApiCall, Connection, DryRun, JsonObject, JsonText, ProposedAction, TargetEffect,
};

use super::{Action, Call, Step, Values};
use crate::engine::template::Missing;

/// Why an automated action cannot run for a signal.
#[derive(Debug, thiserror::Error)]
enum Obstacle {
    #[error("the signal does not name the {}", name.replace('_', " "))]
    Missing { name: String },
    #[error("there is no connection {0:?}")]
    NotConnected(String),
    #[error("{0} is not allowed")]
    NotAllowed(String),
    #[error("the id of a record is too long")]
    TooLong,
}

impl Action {
    /// The action for one signal. An automated one that cannot run, because the signal lacks a
    /// parameter or the organization's connections do not allow a call, becomes a manual one that says why.
    pub(in crate::engine) fn render(
        &self,
        values: &Values,
        connections: &[Connection],
    ) -> ProposedAction {
        let target_system = values.text(&self.target_system);
        let mut description = values.text(&self.description);
        let mut obstacle = None;
        let mut steps = Vec::new();
        for (order, step) in (1..).zip(&self.steps) {
            let (call, in_the_way) = step.render(values, &target_system, connections);
            obstacle = in_the_way.or(obstacle);
            steps.push(ActionStep {
                order,
                description: values.text(&step.description),
                call,
                reconcile: None,
                dry_run: step.dry_run(values),
            });
        }
        let (target_entities, in_the_way) = self.target_entities(values);
        let connection = Connection::named(connections, &target_system);
        let connection = connection.map(Connection::as_now);
        let obstacle = obstacle.or(in_the_way);
        let obstacle = obstacle.filter(|_| self.automated);
        if let Some(obstacle) = &obstacle {
            description = format!("{description} A person has to do it, since {obstacle}.");
        }
        ProposedAction {
            id: String::new(),
            key: self.key.clone(),
            excludes: self.excludes.clone(),
            after: self.after.clone(),
            action_type: self.action_type,
            description,
            is_automated: self.automated && obstacle.is_none(),
            target_system,
            target_entities,
            expected_outcome: values.text(&self.expected_outcome),
            risk: self.risk,
            reads: Vec::new(),
            require: Vec::new(),
            steps,
            verify: None,
            minutes_saved: i64::from(self.minutes),
            cooldown: self.cooldown.millis(),
            playbook: None,
            connection,
            money: None,
            approvals: Vec::new(),
            approvers: 0,
            undo: self.undo.as_ref().map(|undo| values.text(undo)),
            handling: None,
        }
    }
}

impl Action {
    /// The records that it acts on, each once, and what keeps an automated one from running: that
    /// they do not tell its effect from those of others.
    fn target_entities(&self, values: &Values) -> (Vec<String>, Option<Obstacle>) {
        let mut obstacle = None;
        let mut entities = Vec::with_capacity(self.entities.len());
        for entity in &self.entities {
            match entity.render(|name| values.plain(name)) {
                Ok(entity) if entity.len() > TargetEffect::LONGEST_ENTITY => {
                    obstacle = Some(Obstacle::TooLong);
                }
                Ok(entity) if entities.contains(&entity) => {}
                Ok(entity) => entities.push(entity),
                Err(Missing(name)) => obstacle = Some(Obstacle::Missing { name }),
            }
        }
        (entities, obstacle)
    }
}

impl Step {
    /// The call, as far as the signal fills it, and what keeps it from being sent.
    fn render(
        &self,
        values: &Values,
        target_system: &str,
        connections: &[Connection],
    ) -> (Option<ApiCall>, Option<Obstacle>) {
        let Some(call) = &self.call else {
            return (None, None);
        };
        let call = match call.render(values) {
            Ok(call) => call,
            Err(Missing(name)) => return (None, Some(Obstacle::Missing { name })),
        };
        let obstacle = match Connection::named(connections, target_system) {
            None => Some(Obstacle::NotConnected(target_system.to_owned())),
            Some(connection) if !connection.allows(&call.method, &call.path) => {
                Some(Obstacle::NotAllowed(call.summary()))
            }
            Some(_) => None,
        };
        (Some(call), obstacle)
    }
}

impl Step {
    /// What asks the system what the call would do, as far as the signal fills it.
    fn dry_run(&self, values: &Values) -> Option<DryRun> {
        let dry_run = self.dry_run.as_ref()?;
        let call = dry_run.call.render(values).ok()?;
        let is_harmless = dry_run.is_harmless;
        Some(DryRun { call, is_harmless })
    }
}

impl Call {
    /// The call with the signal's values; the error names the parameter that is missing.
    fn render(&self, values: &Values) -> Result<ApiCall, Missing> {
        let parameter = |name: &str| values.parameter(name);
        let body = self.body.as_ref().map(|body| body.render(&parameter));
        let body = body.transpose()?;
        Ok(ApiCall {
            method: self.method.clone(),
            path: values.path(&self.path)?,
            body: body.map(|body| JsonText(JsonObject(body))),
            expect: self.expect.clone(),
            already_done: self.already_done.clone(),
            success: Vec::new(),
            not_done: self.not_done.clone(),
        })
    }
}
