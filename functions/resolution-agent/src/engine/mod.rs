//! The engine: analyses alerts and proposes actions.

mod analysis;
mod eyes;
mod money;
mod pattern;
mod playbook;
mod playbooks;
mod selector;
mod template;

pub use eyes::{Eyes, PATIENCE};
pub use playbook::{CallFlaw, Flaw};
pub use playbooks::PlaybookError;
pub use selector::{Choice, Closest, Finding, PlaybookSummary, Selector};

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use shared::{
    agent::{Case, Proposal, ProposedAction},
    error::Source,
};

use self::{
    eyes::Sight,
    playbook::{Playbook, Read, Surroundings, Values},
    playbooks::Playbooks,
};

/// The failure of an analysis.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EngineError(pub Source);

/// Analyses alerts.
pub trait Engine: Send + Sync {
    /// Returns an analysis of an alert, with the actions that would resolve it.
    fn analyse<'a>(&'a self, case: &'a Case) -> BoxFuture<'a, Result<Proposal, EngineError>>;
}

/// The deterministic engine. The most specific matching playbook defines the reads, the findings
/// and the actions. Statistics over the history tell whether the alert is one of many.
pub struct PlaybookEngine {
    playbooks: Playbooks,
    eyes: Arc<dyn Eyes>,
    selector: Arc<dyn Selector>,
}

impl fmt::Debug for PlaybookEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlaybookEngine").finish_non_exhaustive()
    }
}

impl PlaybookEngine {
    /// Creates the engine with the shipped playbooks, all of which are checked here.
    pub fn new(eyes: Arc<dyn Eyes>) -> Result<Self, PlaybookError> {
        Ok(Self {
            playbooks: Playbooks::shipped()?,
            eyes,
            selector: Arc::new(Closest),
        })
    }

    /// Replaces the selector among matching playbooks.
    #[must_use]
    pub fn choosing(self, selector: Arc<dyn Selector>) -> Self {
        Self { selector, ..self }
    }

    /// Reads, finds, chooses and renders. Automated actions that cannot run are proposed as manual
    /// ones.
    async fn propose(&self, case: &Case) -> Proposal {
        let (playbooks, passed_over) = self.playbooks.for_case(case);
        let sight = Sight::of(&*self.eyes, case, &playbooks).await;
        let candidates = playbooks.into_iter();
        let candidates: Vec<Candidate<'_>> = candidates
            .map(|playbook| Candidate::of(playbook, case, &sight))
            .collect();
        let choice = self.choose(case, &candidates).await;
        let chosen = candidates.iter().find(|one| {
            let is_chosen = |choice: &Choice| choice.playbook == one.playbook.name;
            choice.as_ref().is_some_and(is_chosen)
        });
        let mut proposal = match chosen {
            Some(chosen) => chosen.render(case),
            None => Candidate::of(self.playbooks.fallback(), case, &sight).render(case),
        };
        proposal.analysis.cites = choice.map(|choice| choice.cites).unwrap_or_default();
        proposal.analysis.passed_over = passed_over;
        proposal.reads = sight.into_evidence();
        proposal
    }

    async fn choose(&self, case: &Case, candidates: &[Candidate<'_>]) -> Option<Choice> {
        let playbooks = candidates.iter().map(|one| one.summary(case));
        let playbooks: Vec<PlaybookSummary> = playbooks.collect();
        let findings = candidates.iter().flat_map(|one| one.findings(case));
        let findings: Vec<Finding> = findings.collect();
        selector::choose(&*self.selector, &case.signal, &playbooks, &findings).await
    }
}

impl Engine for PlaybookEngine {
    fn analyse<'a>(&'a self, case: &'a Case) -> BoxFuture<'a, Result<Proposal, EngineError>> {
        Box::pin(async move { Ok(self.propose(case).await) })
    }
}

/// A playbook that matches an alert, with the results of its reads.
struct Candidate<'a> {
    playbook: &'a Playbook,
    reads: Vec<Read>,
    values: Values,
}

impl<'a> Candidate<'a> {
    fn of(playbook: &'a Playbook, case: &Case, sight: &Sight) -> Self {
        let reads = playbook.reads(case);
        let values = playbook
            .values(&case.signal)
            .with(sight.facts(&reads), sight.unread(&reads));
        Self {
            playbook,
            reads,
            values,
        }
    }

    fn summary(&self, case: &Case) -> PlaybookSummary {
        let confidence = self.playbook.confidence(&self.values, &case.playbooks);
        PlaybookSummary {
            name: self.playbook.name.clone(),
            about: self.values.text(&self.playbook.root_cause),
            specificity: self.playbook.matches.specificity(),
            confidence: confidence.confidence(),
        }
    }

    fn findings(&self, case: &Case) -> Vec<Finding> {
        let evidence = self.playbook.evidence(&self.values, case.history.at);
        let findings = evidence.into_iter().map(|one| Finding {
            playbook: self.playbook.name.clone(),
            id: one.id,
            says: one.says,
            holds: one.holds,
        });
        findings.collect()
    }

    fn render(&self, case: &Case) -> Proposal {
        let around = Surroundings {
            connections: &case.connections,
            reads: &self.reads,
        };
        let actions = self.playbook.actions.iter().map(|action| ProposedAction {
            playbook: Some(self.playbook.version()),
            ..action.render(&self.values, around)
        });
        let actions: Vec<ProposedAction> = actions.collect();
        Proposal {
            analysis: analysis::of(case, self.playbook, &self.values, &actions),
            reads: Vec::new(),
            actions,
        }
    }
}

#[cfg(test)]
mod tests;
