use targets::{ProviderCaller, Sealer};

use crate::{oidc::known::KnownProviders, prelude::*};

#[derive(Clone, Debug)]
pub struct Auth {
    pub(crate) app: App,
    pub(crate) caller: ProviderCaller,
    pub(crate) sealer: Sealer,
    pub(crate) known: KnownProviders,
    /// The URL to which providers send users back.
    pub(crate) callback: Arc<str>,
}

impl Auth {
    pub fn new(app: App, caller: ProviderCaller, sealer: Sealer, api_url: &str) -> Self {
        let api_url = api_url.trim_end_matches('/');
        Self {
            app,
            caller,
            sealer,
            known: KnownProviders::default(),
            callback: format!("{api_url}/api/auth/oidc/callback").into(),
        }
    }
}

impl FromStart for Auth {
    fn from_start(start: &Start) -> Result<Self, lambda_http::Error> {
        let purpose = "the URL of the API, to which providers send users back";
        let api_url = start.environment.required("API_URL", purpose)?;
        let (caller, sealer) = (ProviderCaller::of(start)?, Sealer::of(start)?);
        Ok(Self::new(App::from_start(start)?, caller, sealer, api_url))
    }
}

impl FromRef<Auth> for App {
    fn from_ref(state: &Auth) -> Self {
        state.app.clone()
    }
}
