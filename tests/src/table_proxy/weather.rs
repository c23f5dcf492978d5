//! Faults by chance.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use futures::future::BoxFuture;

use super::{Asked, Chance, Fault, FaultSource};

/// A request is slow by up to so many milliseconds.
const SLOW: u64 = 150;

/// The attempt that the SDK does not repeat.
const LAST_ATTEMPT: u32 = 3;

/// A kind of fault, as chance strikes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The table is out of capacity.
    Throttling,
    /// Another transaction writes to the same items.
    Conflict,
    /// Something broke in the table.
    Broken,
    /// The request was carried out, and its answer is lost.
    LostAnswer,
    /// The answer comes late.
    Slow,
    /// Some keys of a batch read are left, or all of them.
    Unprocessed,
    /// An index is answered as of some moments ago.
    Stale,
}

impl Kind {
    /// Returns the fault of a request that can meet this kind; a late one takes up to `slow`
    /// milliseconds.
    #[must_use]
    pub fn fault(self, asked: &Asked, chance: &Chance, slow: u64) -> Option<Fault> {
        match self {
            Self::Throttling => Some(Fault::Throttled),
            Self::Conflict => {
                let meets = asked.operation == "TransactWriteItems" || asked.is_single_write();
                meets.then_some(Fault::Conflict)
            }
            Self::Broken => Some(Fault::Broken),
            Self::LostAnswer => asked
                .writes()
                .then_some(Fault::LostAnswer),
            Self::Slow => {
                let by = 1 + chance.below("slow", slow);
                Some(Fault::Slow(Duration::from_millis(by)))
            }
            Self::Unprocessed => {
                let no_key_read = chance.below("unprocessed", 2) == 0;
                let keys = [Fault::OneKeyRead, Fault::NoKeyRead];
                (asked.operation == "BatchGetItem").then_some(keys[usize::from(no_key_read)])
            }
            Self::Stale => asked
                .queries_an_index()
                .then_some(Fault::Stale),
        }
    }
}

/// Strikes of each kind, of a thousand requests that it can meet. A correct client does not notice:
/// the SDK repeats passing failures, and its last attempt is spared.
const RATES: [(Kind, u64); 6] = [
    (Kind::Throttling, 10),
    (Kind::Conflict, 40),
    (Kind::Broken, 10),
    (Kind::LostAnswer, 25),
    (Kind::Slow, 20),
    (Kind::Unprocessed, 40),
];

/// Faults of all kinds, by chance. The same seed strikes the same requests of the same sequence.
#[derive(Debug)]
pub struct Weather {
    chance: Chance,
    /// The number of readers for whom indexes lag.
    readers: AtomicUsize,
}

/// For as long as this lives, indexes lag.
#[derive(Debug)]
pub struct Lag<'a>(&'a AtomicUsize);

impl Weather {
    /// Of a seed, and the name of whom it is for.
    #[must_use]
    pub fn new(seed: u64, name: &str) -> Self {
        Self {
            chance: Chance::named(seed, name),
            readers: AtomicUsize::default(),
        }
    }

    /// Lets indexes lag.
    pub fn lags(&self) -> Lag<'_> {
        self.readers
            .fetch_add(1, Ordering::SeqCst);
        Lag(&self.readers)
    }

    fn strike(&self, asked: &Asked) -> Option<Fault> {
        if self.readers.load(Ordering::SeqCst) > 0 && asked.queries_an_index() {
            return Some(Fault::Stale);
        }
        if asked.attempt >= LAST_ATTEMPT {
            return None;
        }
        let mut drawn = self
            .chance
            .below(&asked.operation, 1_000);
        for (kind, rate) in RATES {
            if drawn < rate {
                return kind.fault(asked, &self.chance, SLOW);
            }
            drawn -= rate;
        }
        None
    }
}

impl Drop for Lag<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl FaultSource for Weather {
    fn fault<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Option<Fault>> {
        Box::pin(std::future::ready(self.strike(asked)))
    }
}
