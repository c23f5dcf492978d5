//! A playbook's actions for one signal.

use std::collections::BTreeSet;

use shared::model::{
    ActionStep, ApiCall, Asked, Connection, DryRun, FactCondition, Facts, JsonObject, JsonText,
    ProposedAction, Reconciliation, TargetEffect, TargetRead,
};

use super::{Action, Call, Read, Step, Values, check::spoken_of, read::ANY_KEY};
use crate::engine::template::Missing;

/// Why an automated action cannot run for a signal, or a read not be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::engine) enum Obstacle {
    #[error("the signal does not name the {}", name.replace('_', " "))]
    Missing { name: String },
    #[error("{0} is not known")]
    Unknown(String),
    /// Nobody has to do it then: it is not for records that are like this.
    #[error("it needs that {needs}, and {found}")]
    NotSo { needs: String, found: String },
    #[error("it needs that {needs}, which is not known: {why}")]
    NotKnown { needs: String, why: String },
    #[error("the amount of money is not known")]
    NoAmount,
    #[error("there is no money to move")]
    NoMoney,
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
    fn keeps_from<'a>(
        &self,
        conditions: impl IntoIterator<Item = &'a FactCondition>,
    ) -> Option<Obstacle> {
        let mut facts = conditions.into_iter().flat_map(FactCondition::facts);
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
                call.is_some() && around.keeps_from(reconcile.conditions()).is_none()
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
        let obstacle = obstacle.or_else(|| match (&self.money, &money) {
            (Some(_), Some(None)) => Some(Obstacle::NoAmount),
            (Some(own), Some(Some(money))) if own.moves_cash() && money.minor_units == 0 => {
                Some(Obstacle::NoMoney)
            }
            _ => None,
        });
        let obstacle = obstacle.filter(|_| self.automated);
        let mut description = values.text(&self.description);
        let mut verify = self.verify.as_ref().map(super::Verify::verification);
        if let Some(obstacle) = &obstacle {
            description = match obstacle {
                Obstacle::NotSo { .. } | Obstacle::NoMoney => {
                    format!("{description} It is not for this case: {obstacle}.")
                }
                _ => format!("{description} A person has to do it, since {obstacle}."),
            };
        } else if let Some(wanted) = &verify
            && let Some(why) = around.keeps_from([&wanted.effective])
        {
            description = format!("{description} Nobody looks whether it helped, since {why}.");
            verify = None;
        }
        let require = self.required(values.facts());
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

    /// The first thing that it requires and that is not so; where there is none, the first that is not known.
    fn unmet(&self, values: &Values, around: Surroundings<'_>) -> Option<Obstacle> {
        let all = || self.when.0.iter().chain(&self.require.0).map(|one| &one.0);
        let is_not_so = |one: &&FactCondition| one.holds(values.facts()) == Some(false);
        if let Some(one) = all().find(is_not_so) {
            let found = one.facts().map(|name| {
                let value = values.plain(name).filter(|value| !value.is_empty());
                let value = value.unwrap_or_else(|| "empty".to_owned());
                format!("{name} is {value}")
            });
            let found = found.collect::<Vec<_>>().join(" and ");
            let needs = one.says();
            return Some(Obstacle::NotSo { needs, found });
        }
        let one = all().find(|one| one.holds(values.facts()).is_none())?;
        let why = around.keeps_from([one]);
        Some(why.unwrap_or_else(|| Obstacle::NotKnown {
            needs: one.says(),
            why: values.silence(one.facts()).unwrap_or_default(),
        }))
    }

    /// What has to be so when it is done: what the file says, and that what its calls say and the money that
    /// it moves are as they were read. Whoever approves it approves these, and no others.
    fn required(&self, facts: &Facts) -> Vec<FactCondition> {
        let pinned = self.relies_on().into_iter().filter_map(|name| {
            Some(FactCondition {
                fact: name.to_owned(),
                asked: Asked::Is(vec![facts.get(name)?.clone()]),
            })
        });
        let mut require: Vec<FactCondition> =
            self.require.0.iter().map(|one| one.0.clone()).collect();
        let pinned: Vec<FactCondition> = pinned.filter(|one| !require.contains(one)).collect();
        require.extend(pinned);
        require
    }

    /// The facts that its calls carry, or that tell the money that it moves.
    pub(in crate::engine) fn relies_on(&self) -> BTreeSet<&str> {
        let in_calls = self.calls().flat_map(Call::placeholders);
        let in_calls = in_calls.filter(|name| name.contains('.'));
        let money = self.money.iter();
        let money = money.flat_map(|money| [money.amount.as_str(), money.currency.as_str()]);
        in_calls.chain(money).collect()
    }

    /// What it sends.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().filter_map(|step| step.call.as_ref())
    }
}

/// All that an action asks of facts.
fn conditions(
    require: &[FactCondition],
    verify: Option<&FactCondition>,
    steps: &[ActionStep],
) -> Vec<FactCondition> {
    let reconciles = steps.iter().filter_map(|step| step.reconcile.as_ref());
    let reconciles = reconciles.flat_map(Reconciliation::conditions);
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
            Some(connection) => {
                let sent = call.with_key(ANY_KEY);
                let is_allowed = connection.allows(&sent.method, &sent.path);
                (!is_allowed).then(|| Obstacle::NotAllowed(call.summary()))
            }
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
