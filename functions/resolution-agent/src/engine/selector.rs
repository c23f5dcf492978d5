//! Selection of the playbook for an analysis. A selector chooses from a list and cites findings.
//! Texts and parameters are rendered elsewhere, never by a selector.

use std::time::Duration;

use futures::future::BoxFuture;
use shared::agent::Signal;

/// Timeout of a selection.
const PATIENCE: Duration = Duration::from_secs(10);

/// A playbook that matches an alert.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaybookSummary {
    /// Its name.
    pub name: String,
    /// The suspected cause.
    pub about: String,
    /// Specificity: the number of its conditions on the alert. 0 for the fallback.
    pub specificity: u16,
    /// The probability that it helps, from its record and its findings.
    pub confidence: f64,
}

/// A finding of one of these playbooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The playbook.
    pub playbook: String,
    /// Its id within the playbook.
    pub id: String,
    /// The claim in words.
    pub says: String,
    /// True if the claim holds; none if unknown.
    pub holds: Option<bool>,
}

/// A selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name of a playbook in the list.
    pub playbook: String,
    /// Ids of its findings that hold and for which it was chosen.
    pub cites: Vec<String>,
}

/// Chooses the playbook for an analysis: the extension point for a language model.
pub trait Selector: Send + Sync {
    /// Returns one of these distinct playbooks and the findings for which it is chosen. [`Closest`]
    /// decides instead if the result is none, an unknown name, or a citation other than a finding
    /// of that playbook that holds.
    fn select<'a>(
        &'a self,
        signal: &'a Signal,
        playbooks: &'a [PlaybookSummary],
        findings: &'a [Finding],
    ) -> BoxFuture<'a, Option<Choice>>;
}

/// Chooses the most specific playbook, then the most probable, then the first by name. Cites all of
/// its findings that hold.
#[derive(Clone, Copy, Debug)]
pub struct Closest;

impl Closest {
    fn choose(playbooks: &[PlaybookSummary], findings: &[Finding]) -> Option<Choice> {
        let closest = playbooks.iter().max_by(|a, b| {
            let closer = a.specificity.cmp(&b.specificity);
            let likelier = closer.then_with(|| a.confidence.total_cmp(&b.confidence));
            likelier.then_with(|| b.name.cmp(&a.name))
        })?;
        let own = findings.iter().filter(|one| one.playbook == closest.name);
        let hold = own.filter(|one| one.holds == Some(true));
        Some(Choice {
            playbook: closest.name.clone(),
            cites: hold.map(|one| one.id.clone()).collect(),
        })
    }
}

impl Selector for Closest {
    fn select<'a>(
        &'a self,
        _: &'a Signal,
        playbooks: &'a [PlaybookSummary],
        findings: &'a [Finding],
    ) -> BoxFuture<'a, Option<Choice>> {
        Box::pin(async move { Self::choose(playbooks, findings) })
    }
}

/// Returns the selector's choice if it is valid, else the choice of [`Closest`]. None without
/// playbooks.
pub(super) async fn choose(
    selector: &dyn Selector,
    signal: &Signal,
    playbooks: &[PlaybookSummary],
    findings: &[Finding],
) -> Option<Choice> {
    let choice = selector.select(signal, playbooks, findings);
    let choice = tokio::time::timeout(PATIENCE, choice).await.ok().flatten();
    let choice = choice.filter(|choice| is_sound(choice, playbooks, findings));
    choice.or_else(|| Closest::choose(playbooks, findings))
}

fn is_sound(choice: &Choice, playbooks: &[PlaybookSummary], findings: &[Finding]) -> bool {
    let is_listed = playbooks.iter().any(|one| one.name == choice.playbook);
    let holds = |id: &String| {
        let mut own = findings
            .iter()
            .filter(|one| one.playbook == choice.playbook);
        own.any(|one| one.id == *id && one.holds == Some(true))
    };
    is_listed && !choice.cites.is_empty() && choice.cites.iter().all(holds)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::tests::signal, *};

    fn playbook(name: &str, specificity: u16, confidence: f64) -> PlaybookSummary {
        PlaybookSummary {
            name: name.into(),
            about: String::new(),
            specificity,
            confidence,
        }
    }

    fn finding(playbook: &str, id: &str, holds: Option<bool>) -> Finding {
        Finding {
            playbook: playbook.into(),
            id: id.into(),
            says: String::new(),
            holds,
        }
    }

    fn choice(playbook: &str, cites: &[&str]) -> Choice {
        Choice {
            playbook: playbook.into(),
            cites: cites.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    struct Says(Option<Choice>);

    impl Selector for Says {
        fn select<'a>(
            &'a self,
            _: &'a Signal,
            _: &'a [PlaybookSummary],
            _: &'a [Finding],
        ) -> BoxFuture<'a, Option<Choice>> {
            let said = self.0.clone();
            Box::pin(async move { said })
        }
    }

    struct Hangs;

    impl Selector for Hangs {
        fn select<'a>(
            &'a self,
            _: &'a Signal,
            _: &'a [PlaybookSummary],
            _: &'a [Finding],
        ) -> BoxFuture<'a, Option<Choice>> {
            Box::pin(std::future::pending())
        }
    }

    #[test]
    fn the_closest_is_chosen_then_the_likeliest_then_the_first() {
        for (playbooks, chosen) in [
            (vec![playbook("a", 1, 0.9), playbook("b", 2, 0.1)], "b"),
            (vec![playbook("a", 2, 0.1), playbook("b", 2, 0.2)], "b"),
            (vec![playbook("b", 2, 0.2), playbook("a", 2, 0.2)], "a"),
        ] {
            let found = Closest::choose(&playbooks, &[]).unwrap();
            assert_eq!(found, choice(chosen, &[]));
        }
        assert_eq!(Closest::choose(&[], &[]), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_choice_that_is_none_falls_back() {
        let signal = signal(&json!({}));
        let playbooks = [playbook("close", 2, 0.5), playbook("far", 1, 0.5)];
        let findings = [
            finding("close", "open", Some(true)),
            finding("far", "late", Some(true)),
            finding("far", "paid", Some(false)),
            finding("far", "void", None),
        ];
        let fallback = choice("close", &["open"]);
        for (said, chosen) in [
            (choice("far", &["late"]), choice("far", &["late"])),
            (choice("invented", &["late"]), fallback.clone()),
            (choice("far", &[]), fallback.clone()),
            (choice("far", &["invented"]), fallback.clone()),
            (choice("far", &["late", "invented"]), fallback.clone()),
            (choice("far", &["paid"]), fallback.clone()),
            (choice("far", &["void"]), fallback.clone()),
            (choice("far", &["open"]), fallback.clone()),
        ] {
            let selector = Says(Some(said.clone()));
            let found = choose(&selector, &signal, &playbooks, &findings).await;
            assert_eq!(found, Some(chosen), "{said:?}");
        }
        let silent: [&dyn Selector; 2] = [&Says(None), &Hangs];
        for selector in silent {
            let found = choose(selector, &signal, &playbooks, &findings).await;
            assert_eq!(found, Some(fallback.clone()));
        }
    }
}
