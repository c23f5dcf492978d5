//! Submission by SMTP.

use std::{fmt, io, sync::Arc, time::Duration};

use mail_send::{
    Credentials, SmtpClient, SmtpClientBuilder,
    mail_builder::{
        MessageBuilder,
        headers::{date::Date, raw::Raw, url::URL},
    },
    smtp::message::Parameters,
};
use model::{
    base::{
        Timestamp,
        characters::{beginning, on_one_line},
    },
    updates::Mail,
};
use percent_encoding::percent_decode_str;
use runtime::config::{ConfigError, Environment};
use store::updates::MailOutcome;
use tokio::io::{AsyncRead, AsyncWrite};
use url::Url;

use crate::writer::Written;

/// The time limit of each step with the server: connection and sign-in, sender, recipient, content,
/// end.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most characters of the server's answer in a problem.
const ANSWER: usize = 200;

const FROM: &str = "MAIL_FROM";
const URL: &str = "MAIL_URL";

/// The server that takes mails, and their sender. Cheap to clone.
#[derive(Clone)]
pub struct Post(Arc<Server>);

struct Server {
    smtp: SmtpClientBuilder<String>,
    has_tls: bool,
    /// The name of the sender, and the address.
    name: Option<String>,
    from: String,
    /// The domain of the address.
    domain: String,
}

/// Shows the sender only, since the URL has a password.
impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Post")
            .field(&self.0.from)
            .finish()
    }
}

impl Post {
    /// Reads `MAIL_FROM` and `MAIL_URL`. `None` without a sender. With `LOCAL_TARGETS`, the server
    /// may have no TLS.
    pub fn of(environment: &Environment) -> Result<Option<Self>, ConfigError> {
        let Some(from) = environment.optional(FROM) else {
            return Ok(None);
        };
        let purpose = "the mail server, such as smtps://user:password@host:465";
        let url = environment.required(URL, purpose)?;
        Self::new(from, url, environment.flag("LOCAL_TARGETS")?).map(Some)
    }

    /// Creates the post of a sender and a server: `smtps://…`, or `smtp://…` with STARTTLS. `local`
    /// lets a server of this machine do without.
    pub fn new(from: &str, url: &str, local: bool) -> Result<Self, ConfigError> {
        let (name, from) = match from
            .strip_suffix('>')
            .and_then(|from| from.split_once('<'))
        {
            Some((name, from)) => (Some(name.trim().to_owned()), from),
            None => (None, from),
        };
        let domain = from
            .split_once('@')
            .filter(|(user, _)| !user.is_empty());
        let (_, domain) = domain.ok_or_else(|| ConfigError::malformed(FROM, "no address"))?;
        // The text is not shown, since it may have the password.
        let no_url =
            || ConfigError::malformed(URL, "no URL such as smtps://user:password@host:465");
        let url = Url::parse(url).map_err(|_| no_url())?;
        let (is_implicit, usual) = match url.scheme() {
            "smtps" => (true, 465),
            "smtp" => (false, 587),
            _ => return Err(no_url()),
        };
        let host = url
            .host_str()
            .ok_or_else(no_url)?
            .to_owned();
        let mut smtp = SmtpClientBuilder::new(host, url.port().unwrap_or(usual))
            .map_err(|problem| ConfigError::malformed(URL, problem))?
            .implicit_tls(is_implicit)
            .helo_host(domain)
            .timeout(PATIENCE);
        if let Some(password) = url.password() {
            let decoded = |text| {
                percent_decode_str(text)
                    .decode_utf8_lossy()
                    .into_owned()
            };
            smtp = smtp.credentials(Credentials::new(decoded(url.username()), decoded(password)));
        }
        Ok(Self(Arc::new(Server {
            smtp,
            has_tls: is_implicit || !local,
            name,
            from: from.to_owned(),
            domain: domain.to_owned(),
        })))
    }

    pub(crate) async fn send(&self, mail: &Mail, written: &Written, now: Timestamp) -> MailOutcome {
        let content = match self.content(mail, written, now) {
            Ok(content) => content,
            Err(error) => return MailOutcome::Deferred(error.to_string()),
        };
        let smtp = &self.0.smtp;
        let from = &*self.0.from;
        if self.0.has_tls {
            submit(smtp.connect().await, from, &mail.to, &content).await
        } else {
            submit(smtp.connect_plain().await, from, &mail.to, &content).await
        }
    }

    fn content(&self, mail: &Mail, written: &Written, now: Timestamp) -> io::Result<Vec<u8>> {
        let from = &*self.0.from;
        let domain = &self.0.domain;
        let mut message = MessageBuilder::new()
            .to(mail.to.as_str())
            .subject(written.subject.as_str())
            .message_id(format!("{}.{}@{domain}", mail.organization_id, mail.id))
            .date(Date::new(now.epoch_seconds()))
            .header("Auto-Submitted", Raw::new("auto-generated"))
            .text_body(written.text.as_str())
            .html_body(written.html.as_str());
        message = match &self.0.name {
            Some(name) => message.from((name.as_str(), from)),
            None => message.from(from),
        };
        if let Some(url) = &written.unsubscribe {
            let one_click = Raw::new("List-Unsubscribe=One-Click");
            message = message
                .header("List-Unsubscribe", URL::new(url.as_str()))
                .header("List-Unsubscribe-Post", one_click);
        }
        message.write_to_vec()
    }
}

/// Submits a mail. The server's answer to the recipient or the content may be a refusal for good.
/// All other failures are of the server, the connection or the sender, and the mail is sent later.
async fn submit<S: AsyncRead + AsyncWrite + Unpin>(
    connected: mail_send::Result<SmtpClient<S>>,
    from: &str,
    to: &str,
    content: &[u8],
) -> MailOutcome {
    let no_parameters = Parameters::default();
    let begun = async {
        let mut client = connected?;
        client
            .mail_from(from, &no_parameters)
            .await?;
        Ok(client)
    };
    let mut client = match begun.await {
        Ok(client) => client,
        Err(error) => return MailOutcome::Deferred(problem(&error)),
    };
    let accepted = async {
        client
            .rcpt_to(to, &no_parameters)
            .await?;
        client.data(content).await
    };
    match accepted.await {
        Ok(_) => {
            // The mail is accepted, whatever becomes of the connection.
            client.quit().await.ok();
            MailOutcome::Sent
        }
        Err(error) if is_refusal(&error) => MailOutcome::Refused(problem(&error)),
        Err(error) => MailOutcome::Deferred(problem(&error)),
    }
}

/// Returns true for a permanent failure of the mail system: 550 to 559 (RFC 5321, 4.2.1).
fn is_refusal(error: &mail_send::Error) -> bool {
    matches!(error, mail_send::Error::UnexpectedReply(reply) if reply.code / 10 == 55)
}

/// The problem of a failed attempt, with the server's answer on one line.
fn problem(error: &mail_send::Error) -> String {
    use mail_send::Error::{AuthenticationFailed, UnexpectedReply};
    let text = match error {
        UnexpectedReply(reply) | AuthenticationFailed(reply) => {
            format!("The server answered {}: {}", reply.code, reply.message)
        }
        other => other.to_string(),
    };
    beginning(&on_one_line(&text), ANSWER).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_tls_unless_it_is_local() {
        let post = |url, local| Post::new("Workdesk <no-reply@example.com>", url, local);
        for (url, local, has_tls) in [
            ("smtps://user:pass@mail.example.com", false, true),
            ("smtp://user:pass@mail.example.com:587", false, true),
            ("smtps://mail.example.com", true, true),
            ("smtp://127.0.0.1:2525", true, false),
        ] {
            assert_eq!(post(url, local).unwrap().0.has_tls, has_tls, "{url}");
        }
        for url in ["", "mail.example.com", "http://mail.example.com", "smtp:"] {
            assert!(post(url, true).is_err(), "{url}");
        }
        assert!(Post::new("nobody", "smtps://mail.example.com", false).is_err());
        let shown = format!("{:?}", post("smtps://user:hush@a.example", false));
        assert!(!shown.contains("hush"), "{shown}");
    }
}
