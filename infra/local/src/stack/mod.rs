//! `cargo local`: start, run and stop of the local stack.

mod arguments;
mod cargo_lambda;
mod cargo_lambda_watch;
mod child;
mod config;
mod data;
mod environment;
mod error;
mod first_proposals;
mod guide;
mod log;
mod ports;
mod signals;

use std::{io, process::ExitCode, time::Duration};

use arguments::{Arguments, Command};
use child::Group;
use config::Config;
use data::DataFolder;
use environment::Secrets;
use error::Error;
use log::{LogForm, TextLog};
use serde_json::Value;
use shared::{config::Environment, telemetry};
use signals::Signals;
use targets::Sealer;
use tokio::{sync::watch, task::JoinSet};

use crate::{
    console,
    demo_data::{self, DemoData},
    engines::{Engines, KEY, Options, QueueEngine, SecretsKey, TableEngine},
    event_source_mapping::EventSourceMapping,
    function::{Functions, Invocation},
    gateway::Gateway,
    mail_receiver::MailReceiver,
    process,
    schedule::ScheduledRule,
    stream_mapping::StreamMapping,
    target_systems::DemoTargets,
    template::Template,
};

/// Functions that get the queues' messages.
const WORKER: &str = "action-worker";
const WEBHOOK_SENDER: &str = "webhook-sender";
const MAILER: &str = "mailer";
/// Function that is invoked every minute, and gets messages of a queue too.
const SWEEPER: &str = "sweeper";
/// Functions that get the table's stream.
const PUBLISHER: &str = "publisher";
const INDEXER: &str = "indexer";

/// Time that running invocations have to end when the stack is stopped.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `cargo local` and returns its exit code.
pub async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::fail(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Error> {
    let arguments = match arguments::parse(process::arguments())? {
        Command::Run(arguments) => arguments,
        Command::Help => {
            console::say(arguments::USAGE);
            return Ok(());
        }
    };
    let config = Config::read()?;
    let mut signals = Signals::listen().map_err(|source| Error::Program {
        program: "listening for signals",
        source,
    })?;

    let mut stack = Stack::default();
    let outcome = tokio::select! {
        outcome = stack.serve(&arguments, &config) => outcome,
        () = signals.next() => Ok(()),
    };
    if outcome.is_ok() {
        console::say("\nStopping …");
    }
    tokio::select! {
        () = stack.stop() => {}
        // A second signal ends the stack without waiting.
        () = signals.next() => {}
    }
    outcome
}

/// The running parts of the stack, so that a partly started stack can be stopped.
#[derive(Debug, Default)]
struct Stack {
    engines: Option<Engines>,
    targets: Option<DemoTargets>,
    mails: Option<MailReceiver>,
    /// The processes of `cargo lambda watch`.
    watch: Option<Group>,
    gateway: Option<Gateway>,
    /// The mappings and the schedule.
    triggers: JoinSet<()>,
    /// Stops mapping and schedule when it is dropped.
    triggers_stop: Option<watch::Sender<()>>,
}

impl Stack {
    /// Starts everything. Returns an error when the start fails or `cargo lambda watch` ends by
    /// itself.
    async fn serve(&mut self, arguments: &Arguments, config: &Config) -> Result<(), Error> {
        ports::check_free(arguments.port, "--port")?;
        ports::check_free(arguments.billing_port, "--billing-port")?;
        let data_path = arguments.data.clone();
        let data = DataFolder::open(&data_path.unwrap_or_else(|| config.data()))?;
        if arguments.fresh {
            console::say("Deleting the data of earlier runs …");
            data.clear()?;
        }
        data.claim_format()?;
        data.create_table_file()?;
        let secrets = Secrets {
            session: data.session_secret()?,
            links: data.link_secret()?,
            webhooks: data.webhook_secret()?,
        };

        let template = Template::deployed()?;
        let cargo_lambda = if arguments.watch {
            let workspace = config
                .workspace
                .as_deref()
                .ok_or(Error::NoSources)?;
            let program = cargo_lambda_watch::prepare(config, workspace, &template).await?;
            Some((program, workspace))
        } else {
            None
        };
        let engines = self
            .engines
            .insert(start_engines(config, &data).await?);
        if arguments.paused {
            console::say(&guide::paused(engines));
            return std::future::pending().await;
        }
        let mails = MailReceiver::start().map_err(|source| Error::Program {
            program: "receiving mails",
            source,
        })?;
        let mails = self.mails.insert(mails);
        let port = arguments.billing_port;
        let file = data.target_systems();
        let targets = DemoTargets::start_showing(port, Some(&file), mails.inbox().clone())?;
        let targets = self.targets.insert(targets);
        let demo = DemoData::shipped()?;
        let loaded = Box::pin(demo.load(engines.dynamodb(), engines.table_name())).await?;
        let table = engines.table_name();
        let sealer = Sealer::new(engines.kms()?, KEY);
        demo_data::connect(engines.dynamodb(), table, loaded.tenant, targets, &sealer).await?;

        let log_form = arguments
            .log
            .unwrap_or_else(LogForm::of_output);
        let mut settings =
            environment::of_functions(config, engines, &secrets, arguments.port, mails.url());
        let functions = if let Some((cargo_lambda, workspace)) = cargo_lambda {
            settings.extend(environment::of_sdk(config, engines));
            let (group, url) = cargo_lambda_watch::start(&cargo_lambda, workspace, &settings)?;
            cargo_lambda_watch::answer(self.watch.insert(group), &url).await?;
            Functions::at(&url)?
        } else {
            if log_form == LogForm::Text {
                settings.push(("METRIC_LINES", "off".to_owned()));
            }
            let settings = settings.into_iter();
            let settings = settings
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            log(log_form, &settings);
            Functions::start(&settings, engines, &template).await?
        };
        let origins = config.allowed_origins.clone();
        let gateway = Gateway::start(arguments.port, &template.api, origins, functions.clone())?;
        let gateway = self.gateway.insert(gateway);

        let sweeper = functions.invoker(SWEEPER, template.timeout(SWEEPER)?);
        let mappings = queue_mappings(engines, &functions, &template)?;
        let schedule = ScheduledRule::new(SWEEPER, config.sweep_every, sweeper);
        let consumers = [
            (PUBLISHER, data.stream_position()),
            (INDEXER, data.indexer_position()),
        ];
        let [publisher, indexer] = consumers.map(|(package, position)| {
            let invoke = functions.invoker(package, template.timeout(package)?);
            let source = template.stream(package)?;
            let mapping = StreamMapping::new(engines, source, position, invoke)?;
            Ok::<_, Error>(mapping)
        });
        let (triggers, stop) = start_triggers(mappings, [publisher?, indexer?], schedule);
        (self.triggers, self.triggers_stop) = (triggers, Some(stop));

        first_proposals::make(gateway.url(), &loaded.to_propose).await;
        console::say(&guide::text(
            gateway.url(),
            targets.url(),
            &demo,
            engines,
            data.path(),
        ));
        match &mut self.watch {
            Some(group) => Err(cargo_lambda_watch::ended(group).await),
            None => std::future::pending().await,
        }
    }

    /// Stops everything, callers before the parts that they call.
    async fn stop(mut self) {
        drop(self.triggers_stop.take());
        if let Some(gateway) = self.gateway {
            gateway.stop().await;
        }
        let finished = async {
            while self
                .triggers
                .join_next()
                .await
                .is_some()
            {}
        };
        let _ = tokio::time::timeout(GRACE, finished).await;
        self.triggers.shutdown().await;
        if let Some(watch) = self.watch {
            watch.stop().await;
        }
        if let Some(targets) = self.targets {
            targets.stop().await;
        }
        if let Some(mails) = self.mails {
            mails.stop().await;
        }
        if let Some(engines) = self.engines {
            engines.stop().await;
        }
    }
}

async fn start_engines(config: &Config, data: &DataFolder) -> Result<Engines, Error> {
    let table_engine = match &config.dynamodb_url {
        Some(url) => TableEngine::At(url.clone()),
        None => TableEngine::File(data.table()),
    };
    let queue_engine = match &config.sqs_url {
        Some(url) => QueueEngine::At(url.clone()),
        None => QueueEngine::Memory,
    };
    Ok(Engines::start(Options {
        table_engine,
        dynamodb_port: config.dynamodb_port,
        queue_engine,
        sqs_port: config.sqs_port,
        secrets_key: SecretsKey(data.secrets_key()?),
        ..Options::default()
    })
    .await?)
}

/// Has the functions of this process write their lines to standard output, each with its function.
fn log(form: LogForm, settings: &Environment) {
    let level = settings
        .optional("RUST_LOG")
        .unwrap_or_default();
    // Fails only in a process that has a log.
    let _ = match form {
        LogForm::Json => {
            tracing::subscriber::set_global_default(telemetry::lines(level, true, io::stdout))
        }
        LogForm::Text => {
            tracing::subscriber::set_global_default(telemetry::lines(level, false, || TextLog))
        }
    };
}

/// Returns the mappings of the queues to their functions.
fn queue_mappings(
    engines: &Engines,
    functions: &Functions,
    template: &Template,
) -> Result<[EventSourceMapping<impl Fn(Value) -> Invocation + Send + Sync + use<>>; 4], Error> {
    let queues = engines.queues().clone();
    let mapping = |queue, function| {
        let invoke = functions.invoker(function, template.timeout(function)?);
        Ok::<_, Error>(EventSourceMapping::new(engines.sqs(), queue, invoke))
    };
    Ok([
        mapping(queues.actions, WORKER)?,
        mapping(queues.webhooks, WEBHOOK_SENDER)?,
        mapping(queues.mails, MAILER)?,
        mapping(queues.sweeps, SWEEPER)?,
    ])
}

/// Starts the triggers, which invoke functions without a request: queues, stream and schedule.
fn start_triggers<Q, I>(
    mappings: [EventSourceMapping<Q>; 4],
    streams: [StreamMapping<I>; 2],
    schedule: ScheduledRule<I>,
) -> (JoinSet<()>, watch::Sender<()>)
where
    Q: Fn(Value) -> Invocation + Send + Sync + 'static,
    I: Fn(Value) -> Invocation + Send + Sync + 'static,
{
    let mut triggers = JoinSet::new();
    let (stop, _) = watch::channel(());
    for mapping in mappings {
        let stopped = until_dropped(&stop);
        triggers.spawn(async move { mapping.run(stopped).await });
    }
    for stream in streams {
        let stopped = until_dropped(&stop);
        triggers.spawn(async move { stream.run(stopped).await });
    }
    let stopped = until_dropped(&stop);
    triggers.spawn(async move { schedule.run(stopped).await });
    (triggers, stop)
}

/// Resolves when the sender is dropped.
fn until_dropped(sender: &watch::Sender<()>) -> impl Future<Output = ()> + Send + use<> {
    let mut receiver = sender.subscribe();
    async move { while receiver.changed().await.is_ok() {} }
}
