//! Decides what strikes and counts it.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, OnceLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::future::BoxFuture;
use tests::table_proxy::{self, Asked, Chance, Fault, FaultSource};

use crate::{kind::Kind, lambda::Lambda};

/// Strikes of a fault of the table, of a thousand requests that it can meet. At these rates a
/// request fails with all of its repetitions now and then.
const RATES: [(Kind, u64); 9] = [
    (Kind::Throttling, 120),
    (Kind::Conflict, 250),
    (Kind::Broken, 120),
    (Kind::LostAnswer, 150),
    (Kind::Slow, 150),
    (Kind::Unprocessed, 300),
    (Kind::Stale, 700),
    (Kind::Killed, 40),
    (Kind::WorkerKilled, 500),
];

/// The most by which rates are divided where several kinds strike requests of the table.
const MOST_SHARES: usize = 6;

/// The longest delay of the table in milliseconds, and the longest of each fourth. The latter
/// exceeds a function's timeout for one answer.
const SLOW: u64 = 300;
const TOO_SLOW: u64 = 2_500;

/// The faults of a world, and their counts.
#[derive(Debug)]
pub struct Fates {
    /// Strikes that each kind is to have.
    each: usize,
    kinds: Vec<Kind>,
    chance: Chance,
    /// When several kinds strike the table, each strikes less often.
    shares: u64,
    struck: Mutex<HashMap<Kind, usize>>,
    is_over: AtomicBool,
    pub lambda: OnceLock<Weak<Lambda>>,
}

impl Fates {
    /// These kinds, each so often.
    pub fn new(kinds: &[Kind], each: usize, seed: u64) -> Self {
        let name = kinds
            .first()
            .map_or("none", |kind| kind.title());
        let of_table = RATES
            .iter()
            .filter(|(kind, _)| kinds.contains(kind));
        let shares = of_table.count().clamp(1, MOST_SHARES);
        Self {
            each,
            kinds: kinds.to_vec(),
            chance: Chance::named(seed, name),
            shares: shares.try_into().unwrap(),
            struck: Mutex::default(),
            is_over: AtomicBool::new(false),
            lambda: OnceLock::new(),
        }
    }

    /// Returns whether nothing strikes at all.
    pub fn are_none(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns whether this kind is among them.
    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns whether a kind strikes now, with so many chances of a thousand; counts it if so.
    pub fn strikes(&self, kind: Kind, sequence: &str, per_mille: u64) -> bool {
        if !self.has(kind) || self.is_over.load(Ordering::SeqCst) {
            return false;
        }
        self.chance
            .below(&format!("{kind:?} {sequence}"), 1_000)
            < per_mille
            && self.count(kind)
    }

    /// Counts a strike, unless the kind has struck as often as it is to.
    pub fn count(&self, kind: Kind) -> bool {
        if !self.has(kind) || self.is_over.load(Ordering::SeqCst) {
            return false;
        }
        let mut struck = self.struck.lock().unwrap();
        let count = struck.entry(kind).or_default();
        let strikes = *count < self.each;
        *count += usize::from(strikes);
        strikes
    }

    /// A number below `most`.
    pub fn below(&self, sequence: &str, most: u64) -> u64 {
        self.chance.below(sequence, most)
    }

    /// Returns the strikes of each kind.
    pub fn struck(&self) -> BTreeMap<Kind, usize> {
        let struck = self.struck.lock().unwrap();
        let count = |kind| {
            struck
                .get(kind)
                .copied()
                .unwrap_or_default()
        };
        self.kinds
            .iter()
            .map(|kind| (*kind, count(kind)))
            .collect()
    }

    /// Returns whether every kind has struck as often as it is to.
    pub fn are_fulfilled(&self) -> bool {
        self.struck()
            .values()
            .all(|count| *count >= self.each)
    }

    /// Nothing strikes any more.
    pub fn end(&self) {
        self.is_over
            .store(true, Ordering::SeqCst);
    }

    fn of_table(&self, asked: &Asked) -> Option<Fault> {
        for (kind, rate) in RATES {
            let Some(fault) = self.fault_of(kind, asked) else {
                continue;
            };
            // Few requests record an answer.
            let is_rare = kind == Kind::WorkerKilled;
            let shares = if is_rare { 1 } else { self.shares };
            if self.strikes(kind, &asked.operation, rate / shares) {
                return Some(fault);
            }
        }
        None
    }

    /// Returns the fault of a kind for a request that it can meet.
    fn fault_of(&self, kind: Kind, asked: &Asked) -> Option<Fault> {
        let kind = match kind {
            Kind::Throttling => table_proxy::Kind::Throttling,
            Kind::Conflict => table_proxy::Kind::Conflict,
            Kind::Broken => table_proxy::Kind::Broken,
            Kind::LostAnswer => table_proxy::Kind::LostAnswer,
            Kind::Slow => table_proxy::Kind::Slow,
            Kind::Unprocessed => table_proxy::Kind::Unprocessed,
            Kind::Stale => table_proxy::Kind::Stale,
            Kind::Killed if self.chance.below("killed", 2) == 0 => return Some(Fault::SenderGone),
            Kind::Killed => return Some(Fault::SenderGoneBefore),
            Kind::WorkerKilled => {
                return records_an_answer(asked).then_some(Fault::SenderGoneBefore);
            }
            _ => return None,
        };
        let is_too_slow = self.chance.below("too slow", 4) == 0;
        let slow = if is_too_slow { TOO_SLOW } else { SLOW };
        kind.fault(asked, &self.chance, slow)
    }
}

/// True for a worker's write with a target system's answer in the journal.
fn records_an_answer(asked: &Asked) -> bool {
    let writes = asked.request["TransactItems"].as_array();
    let mut entries = writes.into_iter().flatten();
    entries.any(|write| write["Put"]["Item"]["what"]["S"] == "answered")
}

impl FaultSource for Fates {
    fn fault<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Option<Fault>> {
        Box::pin(std::future::ready(self.of_table(asked)))
    }

    fn engine_failed(&self, _: &Asked) {
        self.count(Kind::DiskFull);
    }

    fn end_sender<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, ()> {
        Box::pin(async {
            if let Some(lambda) = self
                .lambda
                .get()
                .and_then(Weak::upgrade)
            {
                lambda.kill(&asked.sender).await;
            }
        })
    }
}
