//! The HTTP client of all calls that leave the service.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{redirect, retry};

use crate::address;

/// An HTTP client that does nothing on its own. It is created by the first call, since it reads the
/// system's certificates, and most requests of a function call no system. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    client: Arc<OnceLock<Result<reqwest::Client, reqwest::Error>>>,
    /// True if it may call http and addresses of this machine and its network.
    pub(crate) allows_local: bool,
}

impl Http {
    pub(crate) fn new(allows_local: bool) -> Self {
        Self {
            client: Arc::default(),
            allows_local,
        }
    }

    /// Returns the client. `None` if it cannot be built, which is logged.
    pub(crate) fn client(&self) -> Option<&reqwest::Client> {
        let client = self
            .client
            .get_or_init(|| client(self.allows_local));
        let log = |cause: &&_| tracing::error!(%cause, "cannot build the HTTP client");
        client.as_ref().inspect_err(log).ok()
    }
}

/// Creates a client. Redirects and retries are off. Each call opens a connection: a pooled one that
/// the target closed while the function slept would leave it open whether a call was sent. Unless
/// `local`, the client resolves no private addresses.
fn client(local: bool) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .no_proxy()
        .pool_max_idle_per_host(0)
        .connect_timeout(Duration::from_secs(3))
        .user_agent("workdesk");
    if local {
        return builder.build();
    }
    let public = builder.dns_resolver(Arc::new(address::Public));
    public.https_only(true).build()
}
