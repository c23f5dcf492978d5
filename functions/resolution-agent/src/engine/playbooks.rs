//! The playbooks. They are files beside the code, versioned with it; all of them are checked
//! whenever a function starts and in the tests.

use shared::model::Signal;

use super::playbook::{Flaw, Matches, Playbook};

/// A playbook's name, for messages, and its text.
type File<'a> = (&'a str, &'a str);

macro_rules! file {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../playbooks/", $name, ".toml")),
        )
    };
}

/// Those of this function.
const FILES: [File; 8] = [
    file!("customer-out-of-sync"),
    file!("fallback"),
    file!("invoice-duplicated"),
    file!("invoice-not-finalized"),
    file!("payment-declined"),
    file!("payment-failed"),
    file!("usage-batch-stuck"),
    file!("usage-events-missing"),
];

/// All playbooks.
#[derive(Debug)]
pub(super) struct Playbooks {
    playbooks: Vec<Playbook>,
    /// What is used where none matches.
    fallback: Playbook,
}

/// Why the playbooks cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlaybookError {
    /// One of them has a flaw.
    #[error("playbook {name}: {flaw}")]
    Flawed {
        /// Which one.
        name: String,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// For some signals there would be none.
    #[error("no playbook is the fallback")]
    NoFallback,
}

impl Playbooks {
    /// Those of this function.
    pub(super) fn shipped() -> Result<Self, PlaybookError> {
        Self::read(FILES)
    }

    fn read<'a>(files: impl IntoIterator<Item = File<'a>>) -> Result<Self, PlaybookError> {
        let mut fallback = None;
        let mut playbooks: Vec<Playbook> = Vec::new();
        for (name, text) in files {
            let flawed = |flaw| PlaybookError::Flawed {
                name: name.to_owned(),
                flaw,
            };
            let playbook = Playbook::read(name, text).map_err(flawed)?;
            let mut others = playbooks.iter().chain(&fallback);
            if others.any(|other| other.matches == playbook.matches) {
                return Err(flawed(Flaw::Twin));
            }
            if playbook.matches == Matches::default() {
                fallback = Some(playbook);
            } else {
                playbooks.push(playbook);
            }
        }
        Ok(Self {
            playbooks,
            fallback: fallback.ok_or(PlaybookError::NoFallback)?,
        })
    }

    /// The matching playbook that asks most of the signal; of several, the first by name.
    pub(super) fn for_signal(&self, signal: &Signal) -> &Playbook {
        self.playbooks
            .iter()
            .filter(|playbook| playbook.matches.fit(signal))
            .max_by(|a, b| {
                let specificity = a.matches.specificity().cmp(&b.matches.specificity());
                specificity.then_with(|| b.name.cmp(&a.name))
            })
            .unwrap_or(&self.fallback)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::connections, *};

    #[test]
    fn every_playbook_is_sound_and_listed() {
        let playbooks = Playbooks::shipped().unwrap();
        assert!(playbooks.playbooks.len() >= 5);
        let mut files: Vec<String> =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/playbooks"))
                .unwrap()
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .collect();
        files.sort();
        let listed: Vec<String> = FILES
            .iter()
            .map(|(name, _)| format!("{name}.toml"))
            .collect();
        assert_eq!(files, listed);
    }

    /// An automated action that no configuration allows would never be more than a manual one.
    #[test]
    fn every_call_is_allowed_by_the_demo_systems() {
        let connections = connections();
        let playbooks = Playbooks::shipped().unwrap();
        for playbook in &playbooks.playbooks {
            let values = playbook.sample_values();
            for action in &playbook.actions {
                let rendered = action.render(&values, &connections);
                assert_eq!(
                    rendered.is_automated, action.automated,
                    "{}: {}",
                    playbook.name, rendered.description
                );
            }
        }
    }

    fn problem(text: &str) -> String {
        let fallback = ("fallback", include_str!("../../playbooks/fallback.toml"));
        let error = Playbooks::read([fallback, ("broken", text)]).unwrap_err();
        error.to_string()
    }

    #[test]
    fn a_broken_playbook_is_named_with_its_fault() {
        let sound = include_str!("../../playbooks/usage-batch-stuck.toml")
            .replace("name = \"usage-batch-stuck\"", "name = \"broken\"");
        for (from, to, fault) in [
            ("version = 2", "version = 0", "count from 1"),
            ("name = \"broken\"", "name = \"other\"", "calls itself"),
            ("{state} and", "{stat} and", "{stat} is unknown"),
            ("/{batch}/", "/{bach}/", "{bach} is no parameter"),
            ("/{batch}/", "/{title}/", "{title} is no parameter"),
            ("/{batch}/", "/b-{batch}/", "whole segment"),
            ("reprocess_usage_batch", "format_disk", "unknown variant"),
            ("\"POST\"", "\"SEND\"", "no method"),
            ("method = \"POST\"", "", "a method and a path"),
            (
                "expect =",
                "body = {b = \"{batch\"}\nexpect =",
                "stays open",
            ),
            (
                "expect =",
                "body = {b = [\"{bach}\"]}\nexpect =",
                "no parameter",
            ),
            ("expect = [200, 202]", "expect = []", "at least one status"),
            ("expect = [200, 202]", "expect = [404]", "2xx"),
            (
                "automated = true",
                "automated = false",
                "against its nature",
            ),
            ("minutes = 25", "minutes = 0", "saves no minutes"),
            ("risk = \"low\"", "risk = \"none\"", "unknown variant"),
            ("risk = \"low\"", "rissk = \"low\"", "unknown field"),
            ("entities = [\"{batch}\"]", "", "names no entity"),
            (
                "minutes = 25",
                "minutes = 25\ncooldown = \"1 week\"",
                "no cooldown",
            ),
            (
                "minutes = 25",
                "minutes = 25\ncooldown = \"367d\"",
                "no cooldown",
            ),
            (
                "expect = [200, 202]",
                "expect = [200, 202]\nnot_done = [404]",
                "says not_done",
            ),
            (
                "key = \"review\"",
                "key = \"reprocess\"",
                "two actions are called",
            ),
            (
                "key = \"review\"",
                "key = \"review\"\nafter = [\"nobody\"]",
                "no other action",
            ),
            (
                "key = \"review\"",
                "key = \"review\"\nexcludes = [\"review\"]",
                "no other action",
            ),
            (
                "key = \"review\"",
                "key = \"review\"\nexcludes = [\"reprocess\"]\nafter = [\"reprocess\"]",
                "after what it excludes",
            ),
            (
                "signal_type = \"usage_batch_stuck\"",
                "",
                "not the fallback",
            ),
        ] {
            assert!(sound.contains(from), "{from}");
            let problem = problem(&sound.replacen(from, to, 1));
            assert!(problem.contains("playbook broken"), "{problem}");
            assert!(problem.contains(fault), "{from} -> {to}: {problem}");
        }
    }

    #[test]
    fn a_step_may_say_by_which_statuses_nothing_was_done() {
        let sound = include_str!("../../playbooks/usage-batch-stuck.toml");
        let promised = "expect = [200, 202]\nnot_done = [425, 500, 503, 599]";
        let text = sound.replacen("expect = [200, 202]", promised, 1);
        let fallback = ("fallback", include_str!("../../playbooks/fallback.toml"));
        let read = Playbooks::read([fallback, ("usage-batch-stuck", text.as_str())]);
        assert!(read.is_ok(), "{:?}", read.err());
    }

    #[test]
    fn actions_do_not_wait_for_each_other_nor_do_the_same_twice() {
        let sound = include_str!("../../playbooks/payment-failed.toml")
            .replace("name = \"payment-failed\"", "name = \"broken\"");
        let circle = sound
            .replace("key = \"retry\"", "key = \"retry\"\nafter = [\"notify\"]")
            .replace("key = \"notify\"", "key = \"notify\"\nafter = [\"retry\"]");
        let problem_of_circle = problem(&circle);
        assert!(
            problem_of_circle.contains("comes after itself"),
            "{problem_of_circle}"
        );
        let last = sound.rfind("[[actions]]").unwrap();
        let (head, notify) = sound.split_at(last);
        let twice = format!(
            "{head}{notify}\n{}",
            notify.replace("\"notify\"", "\"tell\"")
        );
        let problem_of_twin = problem(&twice);
        assert!(
            problem_of_twin.contains("does the same"),
            "{problem_of_twin}"
        );
    }

    #[test]
    fn what_excludes_another_is_excluded_by_it() {
        let text = include_str!("../../playbooks/invoice-duplicated.toml");
        let playbook = Playbook::read("invoice-duplicated", text).unwrap();
        let values = playbook.sample_values();
        let actions = playbook.actions.iter();
        let actions: Vec<_> = actions.map(|one| one.render(&values, &[])).collect();
        assert_eq!(actions[0].excludes, ["credit"]);
        assert_eq!(actions[1].excludes, ["void"]);
        assert_eq!(actions[1].cooldown, 24 * 3_600_000);
    }
    #[test]
    fn a_dry_run_is_a_read_or_said_to_be_harmless() {
        let sound = include_str!("../../playbooks/usage-batch-stuck.toml")
            .replace("name = \"usage-batch-stuck\"", "name = \"broken\"")
            .replacen(
                "minutes = 25",
                "minutes = 25\nundo = \"Not at all: {batch}.\"",
                1,
            );
        let with = |dry_run: &str| {
            let dry_run = format!("expect = [200, 202]\ndry_run = {dry_run}");
            sound.replacen("expect = [200, 202]", &dry_run, 1)
        };
        for (dry_run, fault) in [
            (
                "{ method = \"POST\", path = \"/x\" }",
                "says that it is harmless",
            ),
            ("{ method = \"GET\", path = \"x\" }", "begins with a slash"),
            ("{ method = \"GET\", path = \"/{bach}\" }", "no parameter"),
        ] {
            let problem = problem(&with(dry_run));
            assert!(problem.contains(fault), "{dry_run}: {problem}");
        }
        let harmless = "{ method = \"POST\", path = \"/{batch}/check\", harmless = true }";
        let playbook = Playbook::read("broken", &with(harmless)).unwrap();
        let rendered = playbook.actions[0].render(&playbook.sample_values(), &connections());
        assert_eq!(rendered.undo.as_deref(), Some("Not at all: x."));
        let dry_run = rendered.steps[0].dry_run.as_ref().unwrap();
        let call = dry_run.sendable().unwrap();
        assert_eq!(call.summary(), "POST /x/check");
    }
}
