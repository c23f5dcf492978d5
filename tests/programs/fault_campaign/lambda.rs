//! Lambda: instances that each answer one event at a time, start when none is free, and are
//! replaced when they die.

use std::{
    collections::HashMap,
    fmt,
    path::{Path as FilePath, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::json;
use shared::{
    clock::Clock,
    model::base::{Timestamp, span},
};
use tests::{FUNCTIONS, SECRET, table_proxy};
use tokio::{
    process::Child,
    sync::{Notify, Semaphore, mpsc, oneshot},
};

use crate::{
    fates::Fates,
    kind::Kind,
    world::{LEASE, STEP_TIMEOUT},
};

/// Instances of a function at most; what is more waits.
const INSTANCES: usize = 8;

/// Timeout of an event.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Seconds by which a wrong clock is off.
const OFF: i64 = 120;

/// After so many events an instance makes room for a cold start, where those are what fails.
const SHORT_LIFE: usize = 3;

/// The functions that another release may serve.
const FORMER: [&str; 3] = ["tasks", "publisher", "sweeper"];

/// The environment of an instance, by the instance's name.
pub type Environment = Box<dyn Fn(&str) -> Vec<(&'static str, String)> + Send + Sync>;

/// Runs the release binaries of all functions.
pub struct Lambda {
    fates: Arc<Fates>,
    environment: Environment,
    /// The library that shifts clocks.
    clock_shift: String,
    /// The binaries of another release.
    former: Option<PathBuf>,
    /// By how many seconds the clocks of new instances are ahead.
    ahead: AtomicI64,
    url: OnceLock<String>,
    pools: HashMap<&'static str, Pool>,
    instances: Mutex<HashMap<String, Arc<Instance>>>,
    started: AtomicUsize,
    /// The instances whose processes ended by themselves.
    crashed: Arc<Mutex<Vec<String>>>,
}

struct Pool {
    room: Semaphore,
    /// Instances that were started, of both releases.
    started: AtomicUsize,
    /// Events that instances of this release answered, and those of the former one.
    answered: [AtomicUsize; 2],
    idle: Mutex<Vec<Arc<Instance>>>,
}

struct Instance {
    name: String,
    offered: mpsc::Sender<Bytes>,
    next: tokio::sync::Mutex<mpsc::Receiver<Bytes>>,
    /// The invocation that waits for the answer.
    waiting: Mutex<Option<oneshot::Sender<Answer>>>,
    events: AtomicUsize,
    /// Its clock is not right.
    is_off: bool,
    /// True for the binary of the former release.
    is_former: bool,
    is_over: AtomicBool,
    kill: Notify,
    gone: Notify,
}

enum Answer {
    Result(Bytes),
    Error(Bytes),
    /// The process ended.
    Ended,
}

impl fmt::Debug for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lambda")
            .finish_non_exhaustive()
    }
}

impl Lambda {
    pub async fn start(
        fates: Arc<Fates>,
        (clock_shift, former): (&str, Option<&FilePath>),
        environment: Environment,
    ) -> Arc<Self> {
        let of_former = FORMER
            .iter()
            .filter_map(|name| Some(former?.join(name)));
        let binaries = FUNCTIONS
            .iter()
            .map(|function| tests::binary(function.name));
        for binary in binaries.chain(of_former) {
            assert!(binary.exists(), "build {} first", binary.display());
        }
        let pools = FUNCTIONS.iter().map(|function| {
            let pool = Pool {
                room: Semaphore::new(INSTANCES),
                started: AtomicUsize::default(),
                answered: Default::default(),
                idle: Mutex::default(),
            };
            (function.name, pool)
        });
        let lambda = Arc::new(Self {
            fates: fates.clone(),
            environment,
            clock_shift: clock_shift.to_owned(),
            former: former.map(FilePath::to_owned),
            ahead: AtomicI64::default(),
            url: OnceLock::new(),
            pools: pools.collect(),
            instances: Mutex::default(),
            started: AtomicUsize::default(),
            crashed: Arc::default(),
        });
        fates
            .lambda
            .set(Arc::downgrade(&lambda))
            .unwrap();
        let runtime = "/{instance}/2018-06-01/runtime";
        let routes = Router::new()
            .route("/2015-03-31/functions/{name}/invocations", post(invoke))
            .route(&format!("{runtime}/invocation/next"), get(next))
            .route(
                &format!("{runtime}/invocation/{{id}}/{{what}}"),
                post(tells),
            )
            .route(&format!("{runtime}/init/error"), post(init_error))
            .layer(DefaultBodyLimit::disable())
            .with_state(lambda.clone());
        lambda
            .url
            .set(table_proxy::serve(routes).await)
            .unwrap();
        lambda
    }

    /// Where functions are invoked.
    pub fn url(&self) -> &str {
        self.url.get().unwrap()
    }

    /// Returns the number of instances that were started.
    pub fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    /// The functions that only one of two releases served.
    pub fn of_former(&self) -> Vec<String> {
        let both = FORMER
            .iter()
            .filter(|_| self.former.is_some());
        let answered = both.map(|name| {
            let answered = self.pools[name].answered.each_ref();
            (name, answered.map(|count| count.load(Ordering::SeqCst)))
        });
        let one_sided = answered.filter(|(name, [own, former])| {
            eprintln!("{name}: {own} events by this release, {former} by the former one");
            *own == 0 || *former == 0
        });
        let lines = one_sided.map(|(name, ..)| format!("{name} of both releases"));
        lines.collect()
    }

    /// The functions that ended by themselves. They do so only when they cannot start.
    pub fn crashes(&self) -> Vec<String> {
        if self.fates.has(Kind::Kms) {
            return Vec::new();
        }
        self.crashed.lock().unwrap().clone()
    }

    /// Kills an instance, and waits until it is gone.
    pub async fn kill(&self, name: &str) {
        if let Some(instance) = self.instance(name) {
            instance.end().await;
        }
    }

    /// Shifts the clocks of instances that start from now on by so many seconds; all others end
    /// after their current event.
    pub fn advance(&self, ahead: i64) {
        self.ahead
            .store(ahead, Ordering::SeqCst);
        for pool in self.pools.values() {
            for instance in pool.idle.lock().unwrap().drain(..) {
                instance.kill.notify_one();
            }
        }
    }

    /// Returns the instant on the clocks of new instances.
    pub fn now(&self) -> Timestamp {
        let ahead = self.ahead.load(Ordering::SeqCst);
        Clock::system()
            .now()
            .plus(ahead * span::SECOND)
    }

    /// Ends all instances.
    pub async fn stop(&self) {
        let instances: Vec<_> = {
            let mut instances = self.instances.lock().unwrap();
            instances
                .drain()
                .map(|(_, instance)| instance)
                .collect()
        };
        for instance in instances {
            instance.end().await;
        }
    }

    async fn carry_out(self: Arc<Self>, function: String, event: Bytes) -> Answer {
        let Some(pool) = self.pools.get(function.as_str()) else {
            let error = json!({"errorMessage": "no such function"});
            return Answer::Error(error.to_string().into());
        };
        let _room = pool.room.acquire().await.unwrap();
        let ahead = self.ahead.load(Ordering::SeqCst);
        let (instance, answer) = loop {
            let idle = pool.idle.lock().unwrap().pop();
            let instance = match idle {
                Some(instance) => instance,
                None => self.new_instance(&function),
            };
            let (waiting, answer) = oneshot::channel();
            *instance.waiting.lock().unwrap() = Some(waiting);
            if !instance.is_over.load(Ordering::SeqCst) {
                break (instance, answer);
            }
        };
        if instance.is_off {
            self.fates.count(Kind::Clock);
        }
        instance
            .events
            .fetch_add(1, Ordering::SeqCst);
        // The process may have ended just now, which the answer says.
        let _ = instance.offered.send(event).await;
        let Ok(answer) = tokio::time::timeout(TIMEOUT, answer).await else {
            instance.end().await;
            return Answer::Ended;
        };
        let answer = answer.unwrap_or(Answer::Ended);
        if matches!(answer, Answer::Ended) {
            return answer;
        }
        if self
            .fates
            .strikes(Kind::Killed, "at the answer", 20)
        {
            instance.end().await;
            return Answer::Ended;
        }
        pool.answered[usize::from(instance.is_former)].fetch_add(1, Ordering::SeqCst);
        let takes_turns = self.former.is_some() && FORMER.contains(&function.as_str());
        let short = takes_turns || self.fates.has(Kind::Kms) || self.fates.has(Kind::Clock);
        let is_old = short && instance.events.load(Ordering::SeqCst) >= SHORT_LIFE;
        if is_old || ahead != self.ahead.load(Ordering::SeqCst) {
            instance.kill.notify_one();
        } else {
            pool.idle.lock().unwrap().push(instance);
        }
        answer
    }

    fn new_instance(&self, function: &str) -> Arc<Instance> {
        let number = self
            .started
            .fetch_add(1, Ordering::SeqCst);
        let name = format!("{function}-{number}");
        let is_off = self.fates.has(Kind::Clock);
        let off = if is_off {
            [0, OFF, -OFF][number % 3]
        } else {
            0
        };
        let ahead = self.ahead.load(Ordering::SeqCst);
        let shift = ahead + off;
        let turn = self.pools[function]
            .started
            .fetch_add(1, Ordering::SeqCst);
        let former = self.former.as_ref();
        let former = former.filter(|_| turn % 2 == 1 && FORMER.contains(&function));
        let binary = former.map_or_else(|| tests::binary(function), |former| former.join(function));
        let mut command = tests::command_of(&binary, function, &format!("{}/{name}", self.url()));
        command.envs((self.environment)(&name));
        if former.is_some() {
            // Ciphertexts of another release have other variables; their lines have the same.
            command.envs(["SESSION_SECRETS", "WEBHOOK_SECRETS"].map(|name| (name, SECRET)));
        }
        if ahead > 0 {
            // The story is over. On a slow machine a call takes its time.
            command
                .env_remove(LEASE.0)
                .env_remove(STEP_TIMEOUT.0);
        }
        if shift != 0 {
            command.env("LD_PRELOAD", &self.clock_shift);
            command.env("CLOCK_SHIFT_SECONDS", shift.to_string());
        }
        command.stderr(std::process::Stdio::null());
        let (offered, next) = mpsc::channel(1);
        let instance = Arc::new(Instance {
            name: name.clone(),
            offered,
            next: next.into(),
            waiting: Mutex::default(),
            events: AtomicUsize::default(),
            is_off: off != 0,
            is_former: former.is_some(),
            is_over: AtomicBool::default(),
            kill: Notify::new(),
            gone: Notify::new(),
        });
        // The process is known before it asks for its first event.
        let mut instances = self.instances.lock().unwrap();
        instances.insert(name, instance.clone());
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{function} does not start, build it first: {error}"));
        tokio::spawn(
            instance
                .clone()
                .watch(child, self.crashed.clone()),
        );
        instance
    }

    fn instance(&self, name: &str) -> Option<Arc<Instance>> {
        self.instances
            .lock()
            .unwrap()
            .get(name)
            .cloned()
    }
}

impl Instance {
    /// Waits until the process has ended or is to end.
    async fn watch(self: Arc<Self>, mut child: Child, crashed: Arc<Mutex<Vec<String>>>) {
        tokio::select! {
            ended = child.wait() => {
                let line = format!("{} ended by itself: {}", self.name, ended.unwrap());
                crashed.lock().unwrap().push(line);
            }
            () = self.kill.notified() => child.kill().await.unwrap(),
        }
        self.is_over
            .store(true, Ordering::SeqCst);
        self.answer(Answer::Ended);
        self.gone.notify_one();
    }

    /// Kills the process, and waits until it is gone.
    async fn end(&self) {
        if !self.is_over.load(Ordering::SeqCst) {
            self.kill.notify_one();
            let gone = tokio::time::timeout(TIMEOUT, self.gone.notified()).await;
            assert!(gone.is_ok(), "{} does not end", self.name);
            self.gone.notify_one();
        }
    }

    fn answer(&self, answer: Answer) {
        if let Some(waiting) = self.waiting.lock().unwrap().take() {
            // Who waited may have given up.
            let _ = waiting.send(answer);
        }
    }
}

async fn invoke(
    State(lambda): State<Arc<Lambda>>,
    Path(name): Path<String>,
    event: Bytes,
) -> Response {
    // It goes on when nobody waits for it any more.
    let answer = tokio::spawn(lambda.carry_out(name, event))
        .await
        .unwrap();
    let failed = [("x-amz-function-error", "Unhandled")];
    match answer {
        Answer::Result(result) => result.into_response(),
        Answer::Error(error) => (failed, error).into_response(),
        Answer::Ended => {
            let error = json!({"errorType": "Runtime.ExitError", "errorMessage": "killed"});
            (failed, error.to_string()).into_response()
        }
    }
}

async fn next(State(lambda): State<Arc<Lambda>>, Path(name): Path<String>) -> Response {
    let Some(instance) = lambda.instance(&name) else {
        return StatusCode::GONE.into_response();
    };
    let Some(event) = instance.next.lock().await.recv().await else {
        return std::future::pending().await;
    };
    let id = instance.events.load(Ordering::SeqCst);
    let headers = [
        ("lambda-runtime-aws-request-id", format!("{name}-{id}")),
        ("lambda-runtime-deadline-ms", "4102444800000".to_owned()),
        (
            "lambda-runtime-invoked-function-arn",
            format!("arn:aws:lambda:us-east-1:123456789012:function:{name}"),
        ),
    ];
    (headers, event).into_response()
}

/// A response, or an error.
async fn tells(
    State(lambda): State<Arc<Lambda>>,
    Path((name, _, kind)): Path<(String, String, String)>,
    body: Bytes,
) -> StatusCode {
    if let Some(instance) = lambda.instance(&name) {
        let is_error = kind == "error";
        let answer = if is_error {
            Answer::Error
        } else {
            Answer::Result
        };
        instance.answer(answer(body));
    }
    StatusCode::ACCEPTED
}

/// The process ends by itself then, which answers whoever waits.
async fn init_error() -> StatusCode {
    StatusCode::ACCEPTED
}
