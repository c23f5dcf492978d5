//! The analysis of one alert: its reads, then the proposal.

use agent::{
    action::{ActionContent, PlaybookVersion},
    alert::AlertEntity,
    check::{FactCondition, Seen, TargetRead},
    connection::{Connection, Excerpt},
    session::{Case, Evidence, Proposal, ProposedAction, ReadEvidence},
};
use model::base::{JsonText, Timestamp};

use crate::{
    analysis,
    differences::{self, Difference},
    playbook::{Action, Playbook, Read, RenderContext, Values},
    playbooks::Playbooks,
    template::quoted,
};

/// The analysis of an alert. Of the matching playbooks, the most specific one decides, then the one
/// of which the larger share of findings holds, then the first by name.
#[derive(Debug)]
pub struct Inquiry<'a> {
    case: &'a Case,
    /// The playbooks that match, without the fallback.
    playbooks: Vec<&'a Playbook>,
    fallback: &'a Playbook,
    passed_over: Vec<String>,
    /// A read that several playbooks share is here once.
    answers: Vec<(Read, ReadEvidence)>,
    excerpts: Vec<Excerpt>,
}

/// A read that an analysis wants. It changes nothing, so a pause does not stop it.
#[derive(Clone, Copy, Debug)]
pub struct WantedRead<'a> {
    pub connection: &'a Connection,
    pub read: &'a TargetRead,
    place: usize,
}

impl Playbooks {
    /// Begins the analysis of an alert.
    pub fn inquire<'a>(&'a self, case: &'a Case) -> Inquiry<'a> {
        let (playbooks, passed_over) = self.for_case(case);
        let mut inquiry = Inquiry {
            case,
            playbooks,
            fallback: &self.fallback,
            passed_over,
            answers: Vec::new(),
            excerpts: Vec::new(),
        };
        inquiry.add_reads(|read| !read.waits_for_a_fact());
        inquiry
    }
}

/// Returns the evidence of a read before it is sent: the request, or why it is never sent.
fn unsent(read: &Read, case: &Case) -> ReadEvidence {
    let (request, error) = match read.ready(&case.connections) {
        Ok((_, read)) => (Some(read.call().summary()), None),
        Err(why) => (None, Some(format!("It was not sent: {why}."))),
    };
    ReadEvidence {
        name: read.name.clone(),
        connection: read.connection.clone(),
        request,
        status: None,
        hash: None,
        facts: JsonText::default(),
        excerpt_hash: None,
        error,
        at: case.history.at,
    }
}

impl Inquiry<'_> {
    /// Adds the playbooks' reads that are new, by the facts so far.
    fn add_reads(&mut self, is_wanted: impl Fn(&Read) -> bool) {
        for playbook in &self.playbooks {
            let (reads, _) = known(playbook, self.case, &self.answers);
            for read in reads.into_iter().filter(&is_wanted) {
                if !self
                    .answers
                    .iter()
                    .any(|(answered, _)| *answered == read)
                {
                    let evidence = unsent(&read, self.case);
                    self.answers.push((read, evidence));
                }
            }
        }
    }

    /// Returns the reads that wait for an answer. They can be sent concurrently. Their answers may
    /// make further reads wanted.
    pub fn wanted(&self) -> impl Iterator<Item = WantedRead<'_>> {
        let open = self.answers.iter().enumerate();
        let open =
            open.filter(|(_, (_, evidence))| evidence.error.is_none() && evidence.status.is_none());
        open.filter_map(|(place, (read, _))| {
            let (connection, read) = read
                .ready(&self.case.connections)
                .ok()?;
            Some(WantedRead {
                connection,
                read,
                place,
            })
        })
    }

    /// Adds the answers to [`wanted`](Self::wanted) reads, in their order. An error says why there
    /// is none.
    pub fn answered(&mut self, answers: Vec<Result<Seen, String>>) {
        let places: Vec<usize> = self
            .wanted()
            .map(|wanted| wanted.place)
            .collect();
        for (place, seen) in places.into_iter().zip(answers) {
            let Some((read, evidence)) = self.answers.get_mut(place) else {
                continue;
            };
            match seen {
                Ok(seen) => {
                    let read = read.ready(&self.case.connections).ok();
                    let read_error = read.and_then(|(_, read)| seen.read_error(read));
                    let read_error = read_error.filter(|_| (200..300).contains(&seen.status));
                    evidence.error = read_error.map(|read_error| read_error.problem);
                    evidence.status = Some(seen.status);
                    evidence.hash = Some(seen.hash);
                    evidence.excerpt_hash = Some(seen.excerpt.hash());
                    evidence.facts = JsonText(seen.facts);
                    self.excerpts.push(seen.excerpt);
                }
                Err(why) => evidence.error = Some(why),
            }
        }
        self.add_reads(|read| !read.waits_for_a_fact());
    }

    /// Returns the analysis and the actions. Automated actions that cannot run are proposed as
    /// manual ones.
    pub fn proposal(mut self) -> Proposal {
        self.add_reads(|_| true);
        let case = self.case;
        let candidate = |playbook| {
            let (reads, values) = known(playbook, case, &self.answers);
            Candidate {
                playbook,
                reads,
                values,
            }
        };
        let mut chosen = candidate(self.fallback);
        for next in self
            .playbooks
            .iter()
            .map(|playbook| candidate(playbook))
        {
            if next.is_better_than(&chosen, case) {
                chosen = next;
            }
        }
        let mut proposal = chosen.render(case, self.fallback);
        proposal.analysis.passed_over = self.passed_over;
        proposal.excerpts = self.excerpts;
        proposal.reads = self
            .answers
            .into_iter()
            .map(|(_, read)| read)
            .collect();
        proposal
    }
}

/// A playbook that matches an alert, with the results of its reads.
struct Candidate<'a> {
    playbook: &'a Playbook,
    reads: Vec<Read>,
    values: Values,
}

impl Candidate<'_> {
    /// True if it is more specific, or as specific and supported by a larger share of its findings.
    fn is_better_than(&self, other: &Self, case: &Case) -> bool {
        let specificity = |candidate: &Self| candidate.playbook.matches.specificity();
        let confidence = |candidate: &Self| {
            let evidence = candidate
                .playbook
                .evidence(&candidate.values, case.history.at);
            candidate
                .playbook
                .confidence(&evidence, &case.playbooks)
                .share()
        };
        let closer = specificity(self).cmp(&specificity(other));
        let likelier = closer.then_with(|| confidence(self).total_cmp(&confidence(other)));
        likelier.is_gt()
    }

    /// Returns the proposal. Actions that do not apply are only listed. Without any other, the
    /// fallback's are proposed.
    fn render(&self, case: &Case, fallback: &Playbook) -> Proposal {
        let differences = differences::of(&case.alert, &self.reads, &self.values);
        let context = RenderContext {
            connections: &case.connections,
            reads: &self.reads,
            obstacle: differences
                .first()
                .map(|difference| difference.obstacle.as_str()),
        };
        let render = |action: &Action| {
            let mut action = action.render(&self.values, context);
            action.content.playbook = Some(self.playbook.version());
            action
        };
        let mut actions = Vec::new();
        let mut not_applicable = Vec::new();
        for action in &self.playbook.actions {
            match action.not_applicable(&self.values) {
                Some(why) => not_applicable.push(why),
                None => actions.push(render(action)),
            }
        }
        if actions.is_empty() {
            actions = fallback
                .actions
                .iter()
                .map(render)
                .collect();
        }
        let others = differences::others(&case.alert, &self.playbook.entity_types());
        let mut resolved_when = self.playbook.resolved_when(context);
        if !others.is_empty() {
            // What settles one record says nothing of the others.
            resolved_when = None;
            actions.push(for_others(case, &others, self.playbook.version()));
        }
        let mut analysis = analysis::of(case, self.playbook, &self.values, &actions);
        analysis.evidence.extend(
            differences
                .into_iter()
                .map(|difference| difference.evidence(case.history.at)),
        );
        let conditions = resolved_when
            .iter()
            .flat_map(|end| &end.conditions);
        analysis.resolved_when = conditions
            .map(FactCondition::says)
            .collect();
        analysis.not_applicable = not_applicable;
        Proposal {
            analysis,
            reads: Vec::new(),
            excerpts: Vec::new(),
            actions,
            resolved_when,
        }
    }
}

impl Difference {
    fn evidence(self, at: Timestamp) -> Evidence {
        Evidence {
            id: self.id,
            says: self.says,
            holds: Some(false),
            at,
        }
    }
}

/// Returns the manual action for the records of an alert on which its playbook does not act.
fn for_others(case: &Case, others: &[&AlertEntity], playbook: PlaybookVersion) -> ProposedAction {
    let named = others.iter().map(|entity| {
        let kind = entity.r#type.replace('_', " ");
        format!("{kind} {}", quoted(&entity.id))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let content = ActionContent {
        playbook: Some(playbook),
        ..ActionContent::manual(
            &case.alert.target_system,
            format!(
                "Look into the further records of the alert: {named}. The actions are for the first of them alone, \
                 and the agent does not resolve this alert."
            ),
            "Each of the alert's records is settled.",
            "Record an alert for each of them, or settle it by hand".to_owned(),
        )
    };
    ProposedAction::manual("others".to_owned(), content)
}

/// Returns a playbook's reads and values, by the answers so far. A read may use facts of those
/// before it.
fn known(
    playbook: &Playbook,
    case: &Case,
    answers: &[(Read, ReadEvidence)],
) -> (Vec<Read>, Values) {
    let values = playbook
        .values(&case.alert)
        .within(case.systems());
    playbook.reads_with(values, |read, values| {
        if let Some((_, evidence)) = answers
            .iter()
            .find(|(answered, _)| answered == read)
        {
            // A read without a fact of another one has the same cause.
            let root = read
                .lacks()
                .map(|fact| values.unknown(fact));
            let why = root.or_else(|| why_unread(evidence));
            values.learn(&evidence.facts.0, &read.name, why);
            if let Ok((connection, read)) = read.ready(&case.connections) {
                values.learn_amounts(read, connection.system_kind());
            }
        }
    })
}

/// Returns why a read failed, as part of a sentence.
fn why_unread(evidence: &ReadEvidence) -> Option<String> {
    if let Some(error) = &evidence.error {
        let mut letters = error.trim_end_matches('.').chars();
        let first = letters.next()?.to_lowercase();
        return Some(first.chain(letters).collect());
    }
    let (request, status) = (evidence.request.as_ref()?, evidence.status?);
    let is_success = (200..300).contains(&status);
    (!is_success).then(|| format!("{request} was answered {status}"))
}
