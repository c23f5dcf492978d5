use lambda_runtime::Error;
use model::Clock;
use runtime::{FromStart, Start, background::Background, config::Patience};
use serde::de::IgnoredAny;

use crate::{Checked, Checker, User};

impl FromStart for Checker {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let environment = &start.environment;
        let api_url = environment.required("API_URL", "the URL of the API")?;
        // `cargo local` starts every function, and has no user for this one.
        let username = environment.optional("CHECK_USERNAME");
        let password = environment.optional("CHECK_PASSWORD");
        let user = username.zip(password).map(|(name, password)| User {
            name: name.to_owned(),
            password: password.into(),
        });
        Ok(Self::new(api_url, user, Clock::system()))
    }
}

impl Background for Checker {
    type Event = IgnoredAny;
    type Answer = Checked;
    const PATIENCE: Patience = Patience::Client;

    async fn handle(&self, _: IgnoredAny) -> Checked {
        self.run().await
    }
}
