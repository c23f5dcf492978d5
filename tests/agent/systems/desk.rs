//! The state of a double, and the server around it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{Router, extract::Request, response::Response};
use shared::{Clock, model::base::Timestamp};

use super::{
    Book,
    wire::{Asked, Reply},
};

/// The secret of each double's connection.
pub const SECRET: &str = "key_of_the_double";

/// The distance of reads behind writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lag {
    None,
    /// The next reads do not show a write.
    Reads(u32),
    /// Reads do not show a write for so many milliseconds of the test's clock.
    Millis(i64),
}

/// The answer of the customer's bank to the next charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bank {
    Pays,
    /// Takes days, as for a debit. [`Double::settle`] ends it.
    PaysLater,
    Declines,
    /// No charge reaches a bank, though the system takes the call.
    NotAsked,
}

/// A call that changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Method and path.
    pub call: String,
    /// Minor units that were taken from a customer.
    pub taken: i64,
}

/// A system that a double stands for.
pub trait System: Send + Sync + 'static {
    /// Returns the response to a request without valid credentials; none if they are valid.
    fn refusal(&self, asked: &Asked) -> Option<Reply>;

    /// Returns the response to a request above the rate limit.
    fn limited(&self) -> Reply;

    /// Returns the response to a GET.
    fn read(&self, book: &Book, asked: &Asked) -> Reply;

    /// Carries out a call.
    fn write(&self, desk: &mut Desk, asked: &Asked) -> Reply;

    /// Ends a payment that the bank takes days for.
    fn settle(&self, desk: &mut Desk, payment: &str, succeeds: bool);

    /// Returns the rules for idempotency keys; none if the system has none.
    fn keys(&self) -> Option<Keys>;
}

/// The idempotency keys of a system.
#[derive(Clone, Copy)]
pub struct Keys {
    pub header: &'static str,
    /// The header of a replayed response.
    pub replayed: &'static str,
    /// Milliseconds for which a key is kept.
    pub kept: i64,
    /// The response to a key that belongs to another request.
    pub mismatch: fn() -> Reply,
}

struct Kept {
    at: Timestamp,
    request: (String, String),
    reply: Reply,
}

enum Due {
    Reads(u32),
    At(Timestamp),
}

pub struct Desk {
    pub clock: Clock,
    pub book: Book,
    pub bank: Bank,
    effects: Vec<Effect>,
    calls: Vec<String>,
    /// The records as reads show them.
    shown: Book,
    /// Later states of `shown`.
    later: VecDeque<(Due, Book)>,
    lag: Lag,
    keys: BTreeMap<String, Kept>,
    /// Calls until the rate limit; none without a limit.
    left: Option<u32>,
    /// The answers to changing calls that break off.
    cuts: u32,
    serial: u32,
}

impl Desk {
    /// A number that rises with each call.
    pub fn serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    /// Notes that a call took effect.
    pub fn takes_effect(&mut self, asked: &Asked, taken: i64) {
        let call = asked.line();
        self.effects
            .push(Effect { call, taken });
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Adds the present state to those that reads show later.
    fn publish(&mut self) {
        let due = match self.lag {
            Lag::None => Due::Reads(0),
            Lag::Reads(reads) => Due::Reads(reads),
            Lag::Millis(millis) => Due::At(self.now().plus(millis)),
        };
        self.later
            .push_back((due, self.book.clone()));
    }

    /// Brings the records up to what this read shows.
    fn catch_up(&mut self) {
        let now = self.now();
        while let Some((due, _)) = self.later.front() {
            let is_due = match due {
                Due::Reads(left) => *left == 0,
                Due::At(at) => *at <= now,
            };
            if !is_due {
                break;
            }
            self.shown = self.later.pop_front().unwrap().1;
        }
        for (due, _) in &mut self.later {
            if let Due::Reads(left) = due {
                *left = left.saturating_sub(1);
            }
        }
    }

    fn respond(&mut self, system: &dyn System, asked: &Asked) -> (Reply, bool) {
        self.calls.push(asked.line());
        if let Some(left) = &mut self.left {
            if *left == 0 {
                self.left = None;
                return (system.limited(), false);
            }
            *left -= 1;
        }
        if let Some(refusal) = system.refusal(asked) {
            return (refusal, false);
        }
        if asked.method == "GET" {
            self.catch_up();
            return (system.read(&self.shown, asked), false);
        }
        let reply = self.keyed(system, asked);
        let is_cut = self.cuts > 0;
        self.cuts = self.cuts.saturating_sub(1);
        (reply, is_cut)
    }

    fn keyed(&mut self, system: &dyn System, asked: &Asked) -> Reply {
        let keys = system.keys();
        let named = keys.and_then(|keys| Some((keys, asked.header(keys.header)?.to_owned())));
        let Some((keys, key)) = named else {
            let reply = system.write(self, asked);
            self.publish();
            return reply;
        };
        let now = self.now();
        let request = (asked.line(), asked.body.clone());
        let kept = self.keys.get(&key);
        if let Some(kept) = kept.filter(|kept| now.since(kept.at) < keys.kept) {
            if kept.request != request {
                return (keys.mismatch)();
            }
            return kept
                .reply
                .clone()
                .with(keys.replayed, "true");
        }
        let reply = system.write(self, asked);
        self.publish();
        let at = now;
        let kept = Kept {
            at,
            request,
            reply: reply.clone(),
        };
        self.keys.insert(key, kept);
        reply
    }
}

/// A running double.
#[derive(Clone)]
pub struct Double {
    pub url: String,
    desk: Arc<Mutex<Desk>>,
    system: Arc<dyn System>,
}

impl std::fmt::Debug for Double {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Double")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Double {
    /// Starts a double, which ends with the test's runtime.
    pub async fn start(system: impl System, clock: &Clock) -> Self {
        let desk = Desk {
            clock: clock.clone(),
            book: Book::default(),
            bank: Bank::Pays,
            effects: Vec::new(),
            calls: Vec::new(),
            shown: Book::default(),
            later: VecDeque::new(),
            lag: Lag::None,
            keys: BTreeMap::new(),
            left: None,
            cuts: 0,
            serial: 0,
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let double = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            desk: Arc::new(Mutex::new(desk)),
            system: Arc::new(system),
        };
        let answering = double.clone();
        let routes = Router::new().fallback(move |request: Request| {
            let double = answering.clone();
            async move { double.answer(request).await }
        });
        tokio::spawn(async move {
            axum::serve(listener, routes)
                .await
                .unwrap();
        });
        double
    }

    async fn answer(&self, request: Request) -> Response {
        let asked = Asked::of(request).await;
        let (reply, is_cut) = self
            .desk()
            .respond(&*self.system, &asked);
        if is_cut { reply.cut() } else { reply.send() }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap()
    }

    /// Changes records past the agent. Reads show it with the usual lag.
    pub fn edit<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        let mut desk = self.desk();
        let changed = change(&mut desk.book);
        desk.publish();
        changed
    }

    /// A record as it is, however far reads lag behind.
    pub fn record(&self, kind: &'static str, id: &str) -> serde_json::Value {
        self.desk().book.get(kind, id).clone()
    }

    /// The calls that took effect.
    pub fn effects(&self) -> Vec<Effect> {
        self.desk().effects.clone()
    }

    /// The calls so far, with or without effect.
    pub fn calls(&self) -> Vec<String> {
        self.desk().calls.clone()
    }

    pub fn lags(&self, lag: Lag) {
        self.desk().lag = lag;
    }

    pub fn banks(&self, bank: Bank) {
        self.desk().bank = bank;
    }

    /// The answers to the next changing calls break off, after their effect.
    pub fn cuts(&self, answers: u32) {
        self.desk().cuts = answers;
    }

    /// After so many calls, one is above the rate limit.
    pub fn limits_after(&self, calls: u32) {
        self.desk().left = Some(calls);
    }

    /// Ends a payment that is under way.
    pub fn settle(&self, payment: &str, succeeds: bool) {
        let mut desk = self.desk();
        self.system
            .settle(&mut desk, payment, succeeds);
        desk.publish();
    }
}
