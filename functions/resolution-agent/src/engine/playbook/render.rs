//! A playbook's actions for one signal.

use shared::model::{
    ActionStep, ApiCall, Connection, DryRun, FactCondition, JsonObject, JsonText, ProposedAction,
    TargetEffect, TargetRead,
};

use super::{Action, Call, Read, Step, Values, check::spoken_of, condition::Condition};
use crate::engine::template::Missing;

/// Why an automated action cannot run for a signal, or a read not be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::engine) enum Obstacle {
    #[error("the signal does not name the {}", name.replace('_', " "))]
    Missing { name: String },
    #[error("{0} is not known")]
    Unknown(String),
    #[error("it needs that {0}, which is not so")]
    NotSo(String),
    #[error("it needs that {0}, which is not known")]
    NotKnown(String),
    #[error("the amount of money is not known")]
    NoAmount,
    #[error("there is no connection {0:?}")]
    NotConnected(String),
    #[error("{0} is not allowed")]
    NotAllowed(String),
    #[error("the id of a record is too long")]
    TooLong,
}

impl Obstacle {
    /// That a place stays empty: what is missing of it is the signal's to say, or was to be read.
    pub(super) fn missing(name: &str) -> Self {
        let name = name.to_owned();
        if name.contains('.') {
            Self::Unknown(name)
        } else {
            Self::Missing { name }
        }
    }
}

/// What an action is rendered with beside the values.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Surroundings<'a> {
    pub(in crate::engine) connections: &'a [Connection],
    /// The playbook's reads.
    pub(in crate::engine) reads: &'a [Read],
}

impl Surroundings<'_> {
    /// The read of that name, if it can be sent.
    fn read(&self, name: &str) -> Result<&TargetRead, Obstacle> {
        let read = self.reads.iter().find(|read| read.name == name);
        let read = read.ok_or_else(|| Obstacle::Unknown(name.to_owned()))?;
        read.ready(self.connections).map(|(_, read)| read)
    }

    /// What keeps conditions from ever being known.
    fn keeps_from(&self, conditions: &[FactCondition]) -> Option<Obstacle> {
        let mut facts = conditions.iter().flat_map(FactCondition::facts);
        facts.find_map(|fact| self.read(fact.split_once('.')?.0).err())
    }
}

impl Action {
    /// The action for one signal. An automated one that cannot run becomes a manual one that says why:
    /// the signal lacks a parameter, what it requires is not so or not known, or the organization's
    /// connections do not allow a call.
    pub(in crate::engine) fn render(
        &self,
        values: &Values,
        around: Surroundings<'_>,
    ) -> ProposedAction {
        let money = self.money.as_ref().map(|money| money.read(values.facts()));
        let values = &values.moving(money.iter().flatten().next());
        let target_system = values.text(&self.target_system);
        let mut obstacle = None;
        let mut steps = Vec::new();
        for (order, step) in (1..).zip(&self.steps) {
            let (call, in_the_way) = step.render(values, &target_system, around.connections);
            obstacle = in_the_way.or(obstacle);
            let reconcile = step.reconcile().filter(|reconcile| {
                let conditions = [reconcile.done.clone(), reconcile.not_done.clone()];
                call.is_some() && around.keeps_from(&conditions).is_none()
            });
            steps.push(ActionStep {
                order,
                description: values.text(&step.description),
                call,
                reconcile,
                dry_run: step.dry_run(values),
            });
        }
        let (target_entities, in_the_way) = self.target_entities(values);
        let connection = Connection::named(around.connections, &target_system);
        let obstacle = obstacle.or(in_the_way);
        let obstacle = obstacle.or_else(|| self.unmet(values, around));
        let obstacle = obstacle.or_else(|| {
            let is_unknown = money.as_ref().is_some_and(Option::is_none);
            is_unknown.then_some(Obstacle::NoAmount)
        });
        let obstacle = obstacle.filter(|_| self.automated);
        let mut description = values.text(&self.description);
        let mut verify = self.verify.as_ref().map(super::Verify::verification);
        if let Some(obstacle) = &obstacle {
            description = format!("{description} A person has to do it, since {obstacle}.");
        } else if let Some(wanted) = &verify
            && let Some(why) = around.keeps_from(std::slice::from_ref(&wanted.effective))
        {
            description = format!("{description} Nobody looks whether it helped, since {why}.");
            verify = None;
        }
        let require: Vec<FactCondition> = self.require.0.iter().map(|one| one.0.clone()).collect();
        let conditions = conditions(&require, verify.as_ref().map(|one| &one.effective), &steps);
        let ready = around.reads.iter();
        let ready = ready.filter_map(|read| Some(read.ready(around.connections).ok()?.1));
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
            reads: spoken_of(ready, &conditions),
            require,
            steps,
            verify,
            minutes_saved: i64::from(self.minutes),
            cooldown: self.cooldown.millis(),
            playbook: None,
            connection: connection.map(Connection::as_now),
            money_effect: self.money.as_ref().map(|money| money.effect),
            money: money.flatten(),
            approvals: Vec::new(),
            approvers: 0,
            undo: self.undo.as_ref().map(|undo| values.text(undo)),
            handling: None,
        }
    }

    /// The first thing that it requires and that is not so, or not known.
    fn unmet(&self, values: &Values, around: Surroundings<'_>) -> Option<Obstacle> {
        self.require
            .0
            .iter()
            .find_map(|Condition(one)| match one.holds(values.facts()) {
                Some(true) => None,
                Some(false) => Some(Obstacle::NotSo(one.says())),
                None => {
                    let why = around.keeps_from(std::slice::from_ref(one));
                    Some(why.unwrap_or_else(|| Obstacle::NotKnown(one.says())))
                }
            })
    }
}

/// All that an action asks of facts.
fn conditions(
    require: &[FactCondition],
    verify: Option<&FactCondition>,
    steps: &[ActionStep],
) -> Vec<FactCondition> {
    let reconciles = steps.iter().filter_map(|step| step.reconcile.as_ref());
    let reconciles = reconciles.flat_map(|one| [&one.done, &one.not_done]);
    require
        .iter()
        .chain(verify)
        .chain(reconciles)
        .cloned()
        .collect()
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
                Err(Missing(name)) => obstacle = Some(Obstacle::missing(&name)),
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
            Err(Missing(name)) => return (None, Some(Obstacle::missing(&name))),
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
            success: self.success.clone(),
            not_done: self.not_done.clone(),
        })
    }
}

#[cfg(test)]
impl super::Playbook {
    /// What would keep its reads and calls from being sent for a signal that lacks nothing.
    pub(in crate::engine) fn kept_from(&self, connections: &[Connection]) -> Vec<Obstacle> {
        let values = self.sample_values();
        let reads = self.sample_reads();
        let unsent = reads
            .iter()
            .filter_map(|read| read.ready(connections).err());
        let mut obstacles: Vec<Obstacle> = unsent.collect();
        for action in self.actions.iter().filter(|action| action.automated) {
            let target_system = values.text(&action.target_system);
            let steps = action.steps.iter();
            obstacles.extend(
                steps.filter_map(|step| step.render(&values, &target_system, connections).1),
            );
        }
        obstacles
    }
}
