//! Chance that repeats itself: the same seed decides the same of the same sequence of questions.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// A seeded source of decisions. Each kind of question has a sequence of its own. Other questions
/// at the same time change nothing.
#[derive(Debug)]
pub struct Chance {
    seed: u64,
    asked: Mutex<HashMap<String, u64>>,
}

impl Chance {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            asked: Mutex::default(),
        }
    }

    /// Of a seed and a name, which together are another seed.
    #[must_use]
    pub fn named(seed: u64, name: &str) -> Self {
        Self::new(seed ^ hash(name))
    }

    /// The next number below `most` of a sequence.
    pub fn below(&self, sequence: &str, most: u64) -> u64 {
        let mut counts = self
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let count = counts
            .entry(sequence.to_owned())
            .or_default();
        *count += 1;
        mix(self.seed ^ hash(sequence) ^ mix(*count)) % most.max(1)
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// The last step of `SplitMix64`, which leaves no bit as it was.
const fn mix(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_same_again() {
        let decided = |seed| {
            let chance = Chance::named(seed, "a test");
            let numbers = (0..50).map(|_| chance.below("PutItem", 1_000));
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(decided(1), decided(1));
        assert_ne!(decided(1), decided(2));
        assert!(
            decided(1)
                .iter()
                .any(|number| *number != decided(1)[0])
        );
    }

    #[test]
    fn requests_of_others_change_nothing() {
        let alone = Chance::new(7);
        let beside = Chance::new(7);
        beside.below("Query", 10);
        let drawn = alone.below("PutItem", 1 << 40);
        assert_eq!(drawn, beside.below("PutItem", 1 << 40));
    }
}
