//! Servers on a thread and a runtime of their own.
//!
//! Tests share one engine between many short-lived runtimes. A server on the runtime of its test
//! would end with that test.

use std::{
    future::Future,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    time::Duration,
};

use axum::Router;
use tokio::sync::{oneshot, watch};

/// Time that a server has to finish its open requests.
const GRACE: Duration = Duration::from_millis(500);

/// A server that runs until it is stopped or dropped.
#[derive(Debug)]
pub(crate) struct Background {
    /// Stops the server when it is dropped.
    stop: watch::Sender<bool>,
    ended: oneshot::Receiver<()>,
}

/// A signal that the server is to stop.
#[derive(Clone, Debug)]
pub(crate) struct Stopping(watch::Receiver<bool>);

impl Stopping {
    pub(crate) async fn wait(mut self) {
        // An error means that the sender is gone, which stops the server as well.
        let _ = self
            .0
            .wait_for(|stopping| *stopping)
            .await;
    }
}

impl Background {
    /// Runs the future of `serve` until it ends or the server is stopped.
    pub(crate) fn start<S, F>(name: &str, serve: S) -> io::Result<Self>
    where
        S: FnOnce(Stopping) -> F + Send + 'static,
        F: Future<Output = ()>,
    {
        let (stop, stopping) = watch::channel(false);
        let (notify_ended, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name(name)
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let stopping = Stopping(stopping);
                runtime.block_on(async {
                    let late = async {
                        stopping.clone().wait().await;
                        tokio::time::sleep(GRACE).await;
                    };
                    tokio::select! {
                        () = serve(stopping.clone()) => {}
                        () = late => {}
                    }
                });
                // Open connections are tasks of this runtime and end with it.
                runtime.shutdown_timeout(GRACE);
                let _ = notify_ended.send(());
            })?;
        Ok(Self { stop, ended })
    }

    /// Serves HTTP until the server is stopped or dropped.
    pub(crate) fn http(name: &str, listener: TcpListener, routes: Router) -> io::Result<Self> {
        Self::start(name, move |stopping| async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                return;
            };
            // axum documents that this never returns an error.
            let _ = axum::serve(listener, routes)
                .with_graceful_shutdown(stopping.wait())
                .await;
        })
    }

    /// Stops the server and waits until its thread has released all resources.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        let _ = self.ended.await;
    }
}

/// Opens a port on the loopback address; port 0 takes any free one.
pub(crate) fn listen(port: u16) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Opens a port on both addresses that `localhost` may be: a client takes either. The second one is
/// missing on a machine without IPv6. Another program must have neither, since it would answer in
/// place of this one.
pub(crate) fn listen_on_localhost(port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let (first, address) = listen(port)?;
    let second = TcpListener::bind((Ipv6Addr::LOCALHOST, address.port()));
    let second = match second {
        Ok(second) => Some(second),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
        Err(_) => None,
    };
    if let Some(second) = &second {
        second.set_nonblocking(true)?;
    }
    let listeners = [Some(first), second]
        .into_iter()
        .flatten();
    Ok((listeners.collect(), address.port()))
}
