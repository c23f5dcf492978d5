//! Requests to the providers by which organizations' users sign in.

use std::time::Duration;

use ::http::{Request, Response};
use model::base::address;
use runtime::{Start, config::ConfigError};

use crate::{http::Http, response::MOST_READ};

/// The time in which a provider answers a request.
const PATIENCE: Duration = Duration::from_secs(4);

/// Sends requests to providers, under the address rules of connections. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ProviderCaller(Http);

/// The reason why a provider gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The URL is not of the public internet.
    #[error("the URL would leave the public internet")]
    Address,
    #[error("the HTTP client could not be built")]
    NoClient,
    #[error("the answer is larger than 1 MiB")]
    TooLarge,
    #[error("the request failed")]
    Failed(#[from] reqwest::Error),
}

impl ProviderCaller {
    /// Creates a caller. `local` permits http and addresses of this machine and its network.
    pub fn new(local: bool) -> Self {
        Self(Http::new(local))
    }

    /// Creates a caller from the environment: `LOCAL_TARGETS` (default `false`).
    pub fn of(start: &Start) -> Result<Self, ConfigError> {
        let local = start
            .environment
            .flag("LOCAL_TARGETS")?;
        Ok(Self::new(local))
    }

    /// True if a URL may be called, or a user sent there: https and a host name in the public DNS.
    pub fn may_call(&self, url: &str) -> bool {
        let is_origin = address::split(url).is_some_and(|(origin, _)| address::is_origin(origin));
        self.0.allows_local || (is_origin && address::is_public(url))
    }

    /// Sends a request, and reads up to 1 MiB of the answer. Follows no redirect.
    pub async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoAnswer> {
        if !self.may_call(&request.uri().to_string()) {
            return Err(NoAnswer::Address);
        }
        let http = self
            .0
            .client()
            .ok_or(NoAnswer::NoClient)?;
        let mut request = reqwest::Request::try_from(request)?;
        *request.timeout_mut() = Some(PATIENCE);
        let mut answer = http.execute(request).await?;
        let mut response = Response::new(Vec::new());
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        while let Some(chunk) = answer.chunk().await? {
            response
                .body_mut()
                .extend_from_slice(&chunk);
            if response.body().len() > MOST_READ {
                return Err(NoAnswer::TooLarge);
            }
        }
        Ok(response)
    }
}
