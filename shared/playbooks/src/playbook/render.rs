//! Renders a playbook's actions for one alert.

use std::collections::{BTreeMap, BTreeSet};

use agent::{
    action::{ActionContent, ActionSize, ActionStep, Attempts, RecordSystem, Reversible},
    check::{
        Expectation, FactCondition, Facts, Reconciliation, ResolvedWhen, TargetRead, Verification,
        read_of, reads_of,
    },
    connection::{ApiCall, Connection, SystemKind},
    session::{NotApplicable, ProposedAction},
};
use model::base::{JsonObject, JsonText};
use serde_json::Value;

use crate::template::{Missing, Template, quoted};

use super::{
    Action, Playbook, Read, ReversibleInFile, Values,
    money::{DebtInFile, MoneyInFile},
    period::AttemptsInFile,
    read::allowing,
    step::Step,
};

#[derive(Clone, Copy)]
pub(crate) struct RenderContext<'a> {
    pub(crate) connections: &'a [Connection],
    pub(crate) reads: &'a [Read],
    /// The reason that no action of the proposal can run by itself.
    pub(crate) obstacle: Option<&'a str>,
}

impl RenderContext<'_> {
    fn read(&self, name: &str) -> Result<&TargetRead, String> {
        let read = self
            .reads
            .iter()
            .find(|read| read.name == name);
        let read = read.ok_or_else(|| name.to_owned())?;
        read.ready(self.connections)
            .map(|(_, read)| read)
    }

    fn ready(&self) -> impl Iterator<Item = &TargetRead> {
        let reads = self.reads.iter();
        reads.filter_map(|read| Some(read.ready(self.connections).ok()?.1))
    }

    /// Returns the obstacle because of which conditions can never be known.
    fn keeps_from<'a>(
        &self,
        conditions: impl IntoIterator<Item = &'a FactCondition>,
    ) -> Option<String> {
        let mut facts = conditions
            .into_iter()
            .flat_map(FactCondition::facts);
        facts.find_map(|fact| self.read(read_of(fact)).err())
    }
}

impl Playbook {
    /// Returns the end of the alert's matter, if the playbook states it and it can be read.
    pub(crate) fn resolved_when(&self, context: RenderContext<'_>) -> Option<ResolvedWhen> {
        let conditions = self
            .resolved_when
            .0
            .iter()
            .map(|condition| condition.0.clone());
        let conditions: Vec<FactCondition> = conditions.collect();
        if conditions.is_empty()
            || context
                .keeps_from(&conditions)
                .is_some()
        {
            return None;
        }
        Some(ResolvedWhen {
            reads: reads_of(context.ready(), &conditions),
            conditions,
        })
    }
}

impl Action {
    /// Renders the action for one alert. An automated action that cannot run becomes a manual one
    /// with the reason: a missing parameter, a false or unknown condition, or a call without a
    /// connection.
    pub(crate) fn render(&self, values: &Values, context: RenderContext<'_>) -> ProposedAction {
        let money = self
            .money
            .as_ref()
            .map(|money| money.read(values.facts()));
        let amount = money
            .as_ref()
            .and_then(|moved| moved.amount.as_ref());
        let target_system = values.name(&self.target_system);
        let connection = Connection::named(context.connections, &target_system);
        let kind = connection.map_or(SystemKind::Other, Connection::system_kind);
        let values = &values.moving(amount, kind);
        let mut obstacle = None;
        let mut steps = Vec::new();
        for (order, step) in (1..).zip(&self.steps) {
            let (call, in_the_way) = step.render(values, &target_system, context.connections);
            obstacle = in_the_way.or(obstacle);
            let reconcile = step.reconcile().filter(|reconcile| {
                call.is_some()
                    && context
                        .keeps_from(reconcile.conditions())
                        .is_none()
            });
            steps.push(ActionStep {
                order,
                description: values.text(&step.description),
                call,
                reconcile,
            });
        }
        let (records, unknown) = ids(&self.records, values);
        let systems = self.systems(values, context);
        let (customers, unnamed) = ids(self.customer.as_slice(), values);
        let obstacle = unknown.or(unnamed).or(obstacle);
        let obstacle = obstacle.or_else(|| self.is_not_known(values, context));
        let obstacle = obstacle.or_else(|| self.is_another_amount(values));
        let obstacle = context
            .obstacle
            .map(str::to_owned)
            .or(obstacle);
        let obstacle = values
            .unresolved(&self.target_system)
            .or(obstacle);
        let verify = self
            .verify
            .as_ref()
            .map(|verification| verification.verification(amount));
        let verified = || {
            verify
                .iter()
                .flat_map(Verification::all_conditions)
        };
        let obstacle = obstacle.or_else(|| context.keeps_from(verified()));
        let states_amount = self
            .money
            .as_ref()
            .is_some_and(|own| own.amount.is_some());
        let lacks_amount = states_amount && amount.is_none();
        let unknown = || lacks_amount.then(|| "the amount of money is not known".to_owned());
        let unit = || {
            self.money
                .as_ref()
                .and_then(|_| lacks_unit(connection?))
        };
        let obstacle = obstacle.or_else(unit).or_else(unknown);
        let obstacle = obstacle.filter(|_| self.automated);
        let mut description = values.text(&self.description);
        if let Some(obstacle) = &obstacle {
            description = format!("{description} A person has to do it, since {obstacle}.");
        }
        let debt = self.debt.as_ref().and_then(|debt| {
            let read = context.read(&debt.of).ok()?;
            debt.found(read, values.facts())
        });
        let require = self.required(values.facts(), context);
        let reconciles = steps
            .iter()
            .filter_map(|step| step.reconcile.as_ref());
        let reconciles = reconciles.flat_map(Reconciliation::conditions);
        let conditions = require
            .iter()
            .chain(verified())
            .chain(reconciles);
        let conditions: Vec<FactCondition> = conditions.cloned().collect();
        let reversible = self
            .reversible
            .as_ref()
            .map(ReversibleInFile::parts);
        let attempts = self.attempts.map(AttemptsInFile::limit);
        let is_for_good = matches!(self.reversible, None | Some(ReversibleInFile::No(_)));
        let rendered = ActionContent {
            playbook: None,
            action_type: self.action_type,
            description,
            expected_outcome: values.text(&self.expected_outcome),
            reversible: reversible.map(|(is, says)| Reversible {
                is,
                says: values.text(says),
            }),
            risk: self.risk,
            money,
            debt,
            minutes_saved: i64::from(self.minutes),
            target_system,
            connection: connection.map(Connection::as_now),
            records,
            systems,
            size: self
                .size
                .as_ref()
                .map(|size| ActionSize {
                    records: values
                        .facts()
                        .get(size)
                        .and_then(Value::as_i64),
                }),
            customer: customers.into_iter().next(),
            attempts: attempts
                .or((self.money.is_some() || is_for_good).then_some(Attempts::OF_MONEY)),
            reads: reads_of(context.ready(), &conditions),
            require,
            steps,
            verify,
        };
        ProposedAction {
            after: self.after.clone(),
            unless: self.unless.clone(),
            is_automated: self.automated && obstacle.is_none(),
            ..ProposedAction::manual(self.key.clone(), rendered)
        }
    }

    /// Returns the conditions of the file, and those of the debt.
    fn conditions(&self) -> Vec<FactCondition> {
        let of_debt = self.debt.iter().zip(&self.money);
        let of_debt = of_debt.flat_map(|(debt, money)| debt.is_met_by(money));
        self.require
            .each()
            .cloned()
            .chain(of_debt)
            .collect()
    }

    /// Returns the systems of its records whose own read names them: `invoice/{invoice.id}`.
    fn systems(
        &self,
        values: &Values,
        context: RenderContext<'_>,
    ) -> BTreeMap<String, RecordSystem> {
        let system = |record: &Template| {
            let id = record.placeholders().next()?;
            let read = id.strip_suffix(".id")?;
            let read = context
                .reads
                .iter()
                .find(|any_read| any_read.name == read)?;
            let (connection, _) = read.ready(context.connections).ok()?;
            Some((values.id(record).ok()?, RecordSystem::of(connection)))
        };
        self.records
            .iter()
            .filter_map(system)
            .collect()
    }

    /// Returns why it does not apply to the record as it is: a condition is false, or there is no
    /// money to move.
    pub(crate) fn not_applicable(&self, values: &Values) -> Option<NotApplicable> {
        let step = self.steps.last()?;
        let reason = self.is_not_so(values).or_else(|| {
            let money = self
                .money
                .as_ref()
                .filter(|money| money.direction.is_transfer())?;
            let amount = money.read(values.facts()).amount?;
            (amount.minor_units == 0).then(|| "There is no money to move.".to_owned())
        })?;
        Some(NotApplicable {
            title: values.text(&step.description),
            reason,
        })
    }

    /// Returns the first condition that is false, in words. Amounts that differ are for a person.
    fn is_not_so(&self, values: &Values) -> Option<String> {
        let mut conditions = self.require.each();
        let condition = conditions.find(|condition| {
            condition.holds(values.facts()) == Some(false) && !values.compares_amounts(condition)
        })?;
        let facts = values.found(condition);
        Some(match &condition.says {
            Some(says) => format!("Does not hold: {says} Found instead: {facts}."),
            None => format!("It needs that {}; {facts}.", condition.says()),
        })
    }

    /// Returns the first condition that is unknown.
    fn is_not_known(&self, values: &Values, context: RenderContext<'_>) -> Option<String> {
        let conditions = self.conditions();
        let condition = conditions.iter().find(|condition| {
            condition
                .holds(values.facts())
                .is_none()
        })?;
        let why = context.keeps_from([condition]);
        Some(why.unwrap_or_else(|| {
            let why = values
                .read_error(condition.facts())
                .unwrap_or_default();
            format!(
                "it needs that {}, which is not known: {why}",
                condition.says()
            )
        }))
    }

    /// Returns the difference of an amount, its currency or its customer from the debt, or between
    /// two systems. None if all agree.
    fn is_another_amount(&self, values: &Values) -> Option<String> {
        let conditions = self.conditions();
        let condition = conditions
            .iter()
            .find(|condition| condition.holds(values.facts()) == Some(false))?;
        Some(values.found(condition))
    }

    /// Returns the conditions at execution: those of the file and of the debt, and that certain
    /// facts are unchanged. These are the facts in its calls, ids, money and debt, and in the paths
    /// of required reads. Facts that its texts show are unchanged, too; a number may shrink. An
    /// approval covers exactly these values.
    fn required(&self, facts: &Facts, context: RenderContext<'_>) -> Vec<FactCondition> {
        let mut require = self.conditions();
        if !self.automated {
            return require;
        }
        let used: BTreeSet<&str> = require
            .iter()
            .flat_map(FactCondition::facts)
            .map(read_of)
            .collect();
        let reads = context.reads.iter();
        let reads = reads.filter(|read| used.contains(read.name.as_str()));
        let in_paths = reads.flat_map(|read| read.uses.iter().cloned());
        let unchanged: BTreeSet<String> = self
            .relies_on()
            .into_iter()
            .chain(in_paths)
            .collect();
        for (name, value) in unchanged
            .iter()
            .filter_map(|name| facts.get_key_value(name))
        {
            let pinned = FactCondition::is(name.clone(), value.clone());
            let is_there = require.iter().any(|condition| {
                (&condition.fact, &condition.expected) == (&pinned.fact, &pinned.expected)
            });
            if !is_there {
                require.push(pinned);
            }
        }
        let shown = self
            .shown_facts()
            .filter(|name| !unchanged.contains(*name));
        let shown: BTreeSet<&str> = shown.collect();
        for (name, value) in shown
            .into_iter()
            .filter_map(|name| facts.get_key_value(name))
        {
            require.push(match value.as_i64() {
                Some(number) => FactCondition::new(name.clone(), Expectation::AtMost(number)),
                None => FactCondition::is(name.clone(), value.clone()),
            });
        }
        require
    }

    /// Returns the facts that its texts show.
    fn shown_facts(&self) -> impl Iterator<Item = &str> {
        let steps = self
            .steps
            .iter()
            .map(|step| &step.description);
        let texts = [&self.description, &self.expected_outcome]
            .into_iter()
            .chain(steps);
        let names = texts.flat_map(Template::placeholders);
        let size = self.size.iter().map(String::as_str);
        names
            .filter(|name| name.contains('.'))
            .chain(size)
    }

    /// Returns the facts that its calls, its ids, its money or its debt contain.
    pub(crate) fn relies_on(&self) -> BTreeSet<String> {
        let in_ids = self
            .records
            .iter()
            .chain(&self.customer);
        let in_ids = in_ids.flat_map(Template::placeholders);
        let in_calls = self
            .steps
            .iter()
            .flat_map(Step::placeholders);
        let in_calls = in_calls
            .chain(in_ids)
            .filter(|name| name.contains('.'));
        let money = self
            .money
            .iter()
            .flat_map(MoneyInFile::facts);
        let debt = self
            .debt
            .iter()
            .flat_map(DebtInFile::facts);
        in_calls
            .chain(money)
            .map(str::to_owned)
            .chain(debt)
            .collect()
    }
}

/// Returns why a connection cannot move money: the unit of its amounts is not known.
fn lacks_unit(connection: &Connection) -> Option<String> {
    let name = quoted(&connection.name);
    let why = || format!("the connection {name} does not say in `amounts` how it writes amounts");
    connection.amounts().is_none().then(why)
}

/// Returns ids without repeats. Also returns the obstacle if they cannot identify a record.
fn ids(templates: &[Template], values: &Values) -> (Vec<String>, Option<String>) {
    let mut obstacle = None;
    let mut ids = Vec::with_capacity(templates.len());
    for template in templates {
        match values.id(template) {
            Ok(id) if id.len() > ActionContent::LONGEST_RECORD => {
                obstacle.get_or_insert("the id of a record is too long".to_owned());
            }
            Ok(id) if ids.contains(&id) => {}
            Ok(id) => ids.push(id),
            // The first one is the cause of the next ones.
            Err(Missing(name)) => {
                obstacle.get_or_insert(values.unknown(&name));
            }
        }
    }
    (ids, obstacle)
}

impl Step {
    /// Returns the call, if the alert fills it, and the obstacle to sending it.
    fn render(
        &self,
        values: &Values,
        target_system: &str,
        connections: &[Connection],
    ) -> (Option<ApiCall>, Option<String>) {
        match self.call(values) {
            Ok(None) => (None, None),
            Err(Missing(name)) => (None, Some(values.unknown(&name))),
            Ok(Some(call)) => {
                let obstacle = allowing(connections, target_system, &call).err();
                (Some(call), obstacle)
            }
        }
    }

    /// Renders the call, if there is one. The error names the missing parameter.
    fn call(&self, values: &Values) -> Result<Option<ApiCall>, Missing> {
        let (Some(method), Some(path)) = (self.method.clone(), &self.path) else {
            return Ok(None);
        };
        let parameter = |name: &str| values.parameter(name);
        let body = self
            .body
            .as_ref()
            .map(|body| body.render(&parameter));
        let body = body.transpose()?;
        Ok(Some(ApiCall {
            method,
            path: values.path(path)?,
            body: body.map(|body| JsonText(JsonObject(body))),
            expect: self.expect.clone(),
            already_done: self.already_done.clone(),
            success: self.success.0.clone(),
            ..ApiCall::default()
        }))
    }
}

#[cfg(test)]
impl super::Playbook {
    /// Returns the obstacles of its reads and calls for an alert that has every parameter.
    pub(crate) fn kept_from(&self, connections: &[Connection]) -> Vec<String> {
        let values = self.sample_values();
        let reads = self.sample_reads();
        let unsent = reads
            .iter()
            .filter_map(|read| read.ready(connections).err());
        let mut obstacles: Vec<String> = unsent.collect();
        for action in self
            .actions
            .iter()
            .filter(|action| action.automated)
        {
            let system = values.name(&action.target_system);
            let obstacle = |step: &Step| {
                step.render(&values, &system, connections)
                    .1
            };
            obstacles.extend(action.steps.iter().filter_map(obstacle));
        }
        obstacles
    }

    /// Returns its reads for an alert that has every parameter.
    pub(crate) fn sample_reads(&self) -> Vec<Read> {
        let (reads, _) = self.reads_with(self.sample_values(), |_, _| ());
        reads
    }

    /// Returns the values of an alert that has every parameter, and every fact.
    pub(crate) fn sample_values(&self) -> Values {
        let parameters = self.parameters.keys();
        let parameters = parameters.map(|name| (name.clone(), "x".into()));
        let facts = self.reads.iter().flat_map(|read| {
            let facts = read
                .facts
                .keys()
                .chain(read.sums.keys())
                .chain(read.lists.keys());
            facts.map(|fact| (format!("{}.{fact}", read.name), "x".into()))
        });
        Values::sample(parameters.collect(), facts.collect())
    }
}
