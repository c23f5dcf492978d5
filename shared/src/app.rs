//! The state of an API function, with which its handlers work.

use std::{ops::Deref, sync::Arc};

use model::base::{Clock, Code, Error, network};
use runtime::{
    FromStart, Start,
    config::{ApiConfig, TrustedProxy},
    links::LinkSigner,
};
use store::base::Store;

use crate::auth::{Cursors, KnownQuotas, SessionCookie};

/// The state of an API function, built once per cold start. Its clones share it: a request makes
/// about twenty, one for each layer and handler.
#[derive(Clone, Debug)]
pub struct App(Arc<AppState>);

/// The parts of the state, which all clones of an [`App`] share.
#[derive(Debug)]
pub struct AppState {
    pub store: Store,
    pub clock: Clock,
    pub limits: KnownQuotas,
    pub cookie: SessionCookie,
    /// Signs and verifies places in lists.
    pub cursors: Cursors,
    /// Makes the links of mails.
    pub links: LinkSigner,
    pub sends_mail: bool,
    /// Origins of web clients other than the API's own host.
    pub allowed_origins: Arc<[String]>,
    /// The proxy that names the client's address.
    pub proxy: Option<TrustedProxy>,
    /// True if nothing is written.
    pub is_paused: bool,
}

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl FromStart for App {
    fn from_start(start: &Start) -> Result<Self, lambda_http::Error> {
        let config = ApiConfig::read(&start.environment)?;
        Ok(Self::new(start.dynamodb.clone(), &config, Clock::system()))
    }
}

impl App {
    pub fn new(client: aws_sdk_dynamodb::Client, config: &ApiConfig, clock: Clock) -> Self {
        let store = Store::new(client, &config.table, clock.clone()).in_cell(config.cell.clone());
        Self(Arc::new(AppState {
            limits: KnownQuotas::new(store.clone(), clock.clone()),
            store,
            clock,
            cookie: SessionCookie::new(config.session_secrets.clone(), config.cookie_scope),
            cursors: Cursors::new(config.session_secrets.clone()),
            links: LinkSigner::new(config.secrets_of_links()),
            sends_mail: config.sends_mail,
            allowed_origins: config.allowed_origins.clone().into(),
            proxy: config.proxy.clone(),
            is_paused: config.is_paused,
        }))
    }

    /// The network of an address, to be named in notices. None if the deployment sends no mail.
    pub fn notices_from(&self, address: &str) -> Option<String> {
        let named = || network::shown(address).unwrap_or_default();
        self.sends_mail.then(named)
    }

    /// 409 if the deployment sends no mail.
    pub fn needs_mail(&self) -> Result<(), Error> {
        let detail = "This deployment sends no mail. Ask its operator to set `MailFrom`.";
        let refused = || Error::conflict(Code::MailNotConfigured, detail);
        self.sends_mail
            .then_some(())
            .ok_or_else(refused)
    }
}
