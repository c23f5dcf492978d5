use std::{ops::Deref, sync::Arc};

use axum::extract::FromRef;
use shared::{
    endpoint::*,
    model::base::OrganizationId,
    runtime::{FromStart, Start},
};
use targets::{ProviderCaller, Sealer, Secrets};

/// The state of the function, which its clones share.
#[derive(Clone, Debug)]
pub struct Auth(Arc<AuthState>);

/// The parts of the state, which all clones of an [`Auth`] share.
#[derive(Debug)]
pub struct AuthState {
    pub(crate) app: App,
    pub(crate) caller: ProviderCaller,
    pub(crate) secrets: Secrets,
    pub(crate) sealer: Sealer,
    /// The redirect URI that all organizations once shared.
    callback: String,
}

impl Auth {
    pub fn new(
        app: App,
        caller: ProviderCaller,
        (secrets, sealer): (Secrets, Sealer),
        api_url: &str,
    ) -> Self {
        let api_url = api_url.trim_end_matches('/');
        Self(Arc::new(AuthState {
            app,
            caller,
            secrets,
            sealer,
            callback: format!("{api_url}/api/auth/oidc/callback"),
        }))
    }

    /// The URL to which the provider of an organization sends users back.
    pub(crate) fn redirect_uri(&self, organization: OrganizationId) -> String {
        format!("{}/{organization}", self.callback)
    }

    /// The URL to which providers send users back of organizations without a URL of their own.
    pub(crate) fn former_redirect_uri(&self) -> String {
        self.callback.clone()
    }
}

impl Deref for Auth {
    type Target = AuthState;

    fn deref(&self) -> &AuthState {
        &self.0
    }
}

impl FromStart for Auth {
    fn from_start(start: &Start) -> Result<Self, lambda_http::Error> {
        let purpose = "the URL of the API, to which providers send users back";
        let api_url = start
            .environment
            .required("API_URL", purpose)?;
        let caller = ProviderCaller::of(start)?;
        let secrets = (Secrets::of(start)?, Sealer::of(start)?);
        Ok(Self::new(App::from_start(start)?, caller, secrets, api_url))
    }
}

impl FromRef<Auth> for App {
    fn from_ref(state: &Auth) -> Self {
        state.app.clone()
    }
}
