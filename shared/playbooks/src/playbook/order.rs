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
                let flaw = "does the same to the same record as another action";
                return Err(format!("{key:?} {flaw}"));
            }
            let mut named = action.before();
            let is_other = |key: &str| key != action.key && self.action(key).is_some();
            if let Some(other) = named.find(|key| !is_other(key)) {
                let flaw = "which is no other action";
                return Err(format!("{key:?} speaks of {other:?}, {flaw}"));
            }
        }
        let mut actions = self.actions.iter();
        let circle = actions.find(|action| {
            self.before(action)
                .contains(&action.key.as_str())
        });
        circle.map_or(Ok(()), |action| {
            Err(format!("{:?} comes after itself", action.key))
        })
    }

    fn action(&self, key: &str) -> Option<&Action> {
        self.actions
            .iter()
            .find(|action| action.key == key)
    }

    /// Returns the keys of all predecessors of an action, direct and indirect.
    fn before<'a>(&'a self, action: &'a Action) -> Vec<&'a str> {
        let mut before: Vec<&str> = action
            .before()
            .map(String::as_str)
            .collect();
        let mut at = 0;
        while let Some(key) = before.get(at) {
            for key in self
                .action(key)
                .into_iter()
                .flat_map(Action::before)
            {
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

    /// True if both have the same effect on one record. One of them would then always be skipped.
    fn has_effect_of(&self, other: &Self) -> bool {
        let mut records = self.records.iter();
        self.automated
            && other.automated
            && self.action_type == other.action_type
            && self.target_system == other.target_system
            && records.any(|record| other.records.contains(record))
    }
}
