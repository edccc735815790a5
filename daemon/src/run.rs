//! A daemon from start to end.

use crate::clock::{Clock, wall};
use crate::config::Config;
use crate::crash::{self, Place};
use crate::error::DaemonError;
use crate::home::Home;
use crate::instance::Instance;
use crate::own_log::OwnLog;
use crate::peer;
use crate::private_file;
use crate::process::{adopted, leftover};
use crate::redact::RedactedLog;
use crate::registry::Registry;
use crate::scheduler::Scheduler;
use crate::server::{Service, serve};
use crate::shared::Shared;
use crate::socket_place;
use crate::store::{SqliteStore, Store, StoreError};
use crate::tokens::Tokens;
use nix::fcntl::Flock;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Runs a daemon until it is stopped, by a request or by SIGTERM or SIGINT. `ready` is called once it listens, with where.
///
/// # Errors
/// [`DaemonError`]; nothing runs then.
pub fn run(mut home: Home, ready: Box<dyn FnOnce(&Path) + Send>) -> Result<(), DaemonError> {
    if let Some(why) = peer::inside_an_agent() {
        return Err(DaemonError::InsideAgent(why));
    }
    let instance = Instance::lock(&home)?;
    home.socket = socket_place::settle(&home)?;
    private_file::folder(&home.output()).map_err(|error| DaemonError::folder(&home.output(), &error))?;
    log_to_file(&home)?;
    let config = Config::read(&home.config).map_err(DaemonError::Config)?;
    let store = SqliteStore::open(&home.database())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(DaemonError::Runtime)?;
    let lock = runtime.block_on(daemon(home, config, Arc::new(store), instance, ready));
    // Ends every task, and with the last of them the log. Whatever still blocks (a read of a slow disk) is not waited for
    // for long: everything durable is durable.
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    // The lock is given back last of all: whoever waits for it finds nothing of this daemon left.
    lock.map(drop)
}

async fn daemon(
    home: Home,
    config: Config,
    store: Arc<dyn Store>,
    instance: Instance,
    ready: Box<dyn FnOnce(&Path) + Send>,
) -> Result<Flock<File>, DaemonError> {
    let socket = home.socket.clone();
    let shared = Arc::new(Shared {
        scheduler: Scheduler::new(config.max_concurrent_attempts),
        output_cap: config.output_cap,
        at_start: config,
        home,
        store,
        clock: Clock::start(),
        tokens: Tokens::default(),
        stop: CancellationToken::new(),
    });
    keep_orphans()?;
    let registry = Registry::open(Arc::clone(&shared))?;
    recover(&shared, &registry).await?;
    let (listener, lock) = instance.bind(&socket)?;
    let failed = |error: std::io::Error| DaemonError::Socket { path: socket.clone(), message: error.to_string() };
    let listener = tokio::net::UnixListener::from_std(listener).map_err(failed)?;
    let service = Arc::new(Service::new(shared, registry, wall()));
    stop_on_signals(Arc::clone(&service))?;
    stop_on_damage(Arc::clone(&service));
    tracing::info!(pid = std::process::id(), version = env!("CARGO_PKG_VERSION"), "the daemon listens");
    ready(&socket);
    serve(Arc::clone(&service), listener).await;
    service.shutdown.fence(&service.registry).await;
    service.shutdown.quiet().await;
    crash::at(Place::StopQuiet);
    match std::fs::remove_file(&socket) {
        Ok(()) => {}
        Err(error) => tracing::warn!(%error, "the socket could not be removed"),
    }
    if let Err(error) = socket_place::forget(&service.shared.home) {
        tracing::warn!(%error, "the record of the socket's path could not be removed");
    }
    tracing::info!("the daemon has ended");
    Ok(lock)
}

/// Attempts that an earlier daemon left open are closed, and what they and its checks left is ended, before anybody is
/// served. Where structural damage hides which those are, nothing is closed: such a log takes no event anyway.
async fn recover(shared: &Arc<Shared>, registry: &Registry) -> Result<(), DaemonError> {
    let state = shared.home.state.clone();
    let ended = tokio::task::spawn_blocking(move || leftover::end_checks(&state)).await;
    match ended {
        Ok(0) => {}
        Ok(left) => tracing::info!(left, "ended what checks had left"),
        Err(error) => tracing::error!(%error, "could not look for what checks had left"),
    }
    let open = match shared.store.open_attempts() {
        Err(error @ StoreError::Corrupt { .. }) => {
            tracing::error!(%error, "nobody knows which attempts are open");
            return Ok(());
        }
        open => open?,
    };
    for id in open {
        match registry.get(id).await {
            Ok(session) => {
                let mut view = session.view();
                // Its task closes the attempt by itself, as the first thing it does.
                drop(view.wait_for(|view| !view.recovering).await);
            }
            Err(error) => tracing::error!(session = %id, %error, "a session with an open attempt cannot be loaded"),
        }
    }
    Ok(())
}

/// What a killed guard leaves stays below the daemon, and is reaped when it ends.
fn keep_orphans() -> Result<(), DaemonError> {
    let mut ended_child = signal(SignalKind::child()).map_err(DaemonError::Runtime)?;
    if let Err(error) = adopted::keep() {
        tracing::warn!(%error, "no subreaper: what a killed guard leaves is told by its marker alone");
    }
    tokio::spawn(async move {
        while ended_child.recv().await.is_some() {
            // Blocks for as long as it takes to look at /proc; a failed look is repeated with the next end.
            drop(tokio::task::spawn_blocking(adopted::reap).await);
        }
    });
    Ok(())
}

fn stop_on_signals(service: Arc<Service>) -> Result<(), DaemonError> {
    let mut terminate = signal(SignalKind::terminate()).map_err(DaemonError::Runtime)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(DaemonError::Runtime)?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        service.shutdown.request();
    });
    Ok(())
}

/// Nothing works on where nothing can be recorded: what runs is stopped as soon as damage is seen, not when it next has
/// something to say.
fn stop_on_damage(service: Arc<Service>) {
    tokio::spawn(async move {
        service.shared.store.damaged().cancelled().await;
        for session in service.registry.running() {
            session.log_lost().await;
        }
    });
}

fn log_to_file(home: &Home) -> Result<(), DaemonError> {
    let log = OwnLog::open(&home.log()).map_err(|error| DaemonError::folder(&home.log(), &error))?;
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(tracing::Level::INFO)
        .with_writer(std::sync::Mutex::new(RedactedLog(log)))
        .finish();
    // Only a second daemon in one process could find one set already; it then shares it.
    drop(tracing::subscriber::set_global_default(subscriber));
    Ok(())
}
