//! Order and exclusion of a playbook's actions.

use super::{Action, Playbook};

impl Playbook {
    pub(super) fn check_order(&self) -> Result<(), String> {
        for (at, action) in self.actions.iter().enumerate() {
            let key = &action.key;
            let earlier = || self.actions.iter().take(at);
            if earlier().any(|other| other.key == action.key) {
                return Err(format!("two actions are called {key:?}"));
            }
            if earlier().any(|other| other.has_effect_of(action)) {
                return Err(format!(
                    "{key:?} does the same to the same entity as another action, or shares its lock"
                ));
            }
            let mut named = action.excludes.iter().chain(action.before());
            let is_other = |key: &str| key != action.key && self.action(key).is_some();
            if let Some(other) = named.find(|key| !is_other(key)) {
                return Err(format!(
                    "{key:?} speaks of {other:?}, which is no other action"
                ));
            }
        }
        for action in &self.actions {
            let (key, before) = (&action.key, self.before(action));
            if before.contains(&key.as_str()) {
                return Err(format!("{key:?} comes after itself"));
            }
            let is_excluded = |key: &&str| {
                let other = self.action(key);
                let is_excluded_by = other.is_some_and(|one| one.excludes.contains(&action.key));
                action.excludes.iter().any(|one| one == key) || is_excluded_by
            };
            if before.iter().any(is_excluded) {
                return Err(format!("{key:?} comes after what it excludes"));
            }
        }
        Ok(())
    }

    /// Completes `excludes`, so that each of two exclusive actions lists the other.
    pub(super) fn exclude_mutually(&mut self) {
        let said: Vec<(String, String)> = self
            .actions
            .iter()
            .flat_map(|one| one.excludes.iter().map(|other| (other, &one.key)))
            .map(|(one, other)| (one.clone(), other.clone()))
            .collect();
        for (one, other) in said {
            let action = self.actions.iter_mut().find(|action| action.key == one);
            if let Some(action) = action.filter(|action| !action.excludes.contains(&other)) {
                action.excludes.push(other);
            }
        }
    }

    fn action(&self, key: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.key == key)
    }

    /// Returns the keys of all predecessors of an action, direct and indirect.
    fn before<'a>(&'a self, action: &'a Action) -> Vec<&'a str> {
        let mut before: Vec<&str> = action.before().map(String::as_str).collect();
        let mut at = 0;
        while let Some(key) = before.get(at) {
            for key in self.action(key).into_iter().flat_map(Action::before) {
                if !before.contains(&key.as_str()) {
                    before.push(key);
                }
            }
            at += 1;
        }
        before
    }
}

impl Action {
    /// Returns the keys of its direct predecessors.
    fn before(&self) -> impl Iterator<Item = &String> {
        self.after.iter().chain(&self.unless)
    }

    /// True if both would have the same effect on one record, or share a lock and do not exclude each
    /// other. One of them would then always be skipped.
    fn has_effect_of(&self, other: &Self) -> bool {
        let is_same = |entity| other.entities.contains(entity);
        let excludes = |one: &Self, other: &Self| one.excludes.contains(&other.key);
        let are_exclusive = excludes(self, other) || excludes(other, self);
        let shares = self.locks.iter().any(|lock| other.locks.contains(lock));
        let repeats = self.action_type == other.action_type
            && self.target_system == other.target_system
            && self.entities.iter().any(is_same);
        self.automated && other.automated && (repeats || (shares && !are_exclusive))
    }
}
