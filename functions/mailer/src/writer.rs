//! The texts of letters: each as plain text and as plain HTML, from the same parts.

use Part::{Link, Quote, Text};
use model::{
    base::{
        Timestamp,
        characters::{beginning, on_one_line},
    },
    people::Role,
    updates::{AccountChange, Letter, MailedLink, NotificationKind, Unsubscription},
};
use runtime::{
    config::{ApiUrl, ConfigError, Environment, link_secrets},
    links::LinkSigner,
};
use store::updates::{JoinedNotification, MailAttempt};

/// The most characters of a name in a letter. Longer ones are cut.
const NAME: usize = 60;

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><body>";

/// Writes letters. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Writer {
    links: LinkSigner,
    api_url: ApiUrl,
}

/// A letter, ready to be sent.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
    /// The URL that switches its kinds of notifications off.
    pub(crate) unsubscribe: Option<String>,
}

/// A part of a letter. What users wrote stays text.
enum Part {
    Text(String),
    Quote(String),
    Link(&'static str, String),
}

impl Writer {
    pub const fn new(links: LinkSigner, api_url: ApiUrl) -> Self {
        Self { links, api_url }
    }

    /// Creates a writer from the environment: `LINK_SECRETS` and `API_URL`. `None` without secrets,
    /// in a deployment that sends no mail.
    pub fn of(environment: &Environment) -> Result<Option<Self>, ConfigError> {
        let api_url = ApiUrl::read(environment)?;
        let links = link_secrets(environment)?.map(LinkSigner::new);
        Ok(links.map(|links| Self::new(links, api_url)))
    }

    /// Writes the letter of an attempt. `None` if it has nothing to say, or its user may not get
    /// it. An error tells why it cannot be written.
    pub(crate) fn write(&self, attempt: &MailAttempt) -> Result<Option<Written>, &'static str> {
        let organization = quoted(&attempt.organization.name);
        let web_url = self
            .api_url
            .web_url(attempt.organization.web_url.as_ref());
        let link = |label, page: &str, link: &MailedLink, more: &str| {
            let token = self.links.token(link);
            let token = token.ok_or("The secret of its link was replaced.")?;
            Ok::<_, &'static str>(Link(
                label,
                format!("{web_url}/#/{page}?token={token}{more}"),
            ))
        };
        let (subject, parts) = match &attempt.mail.letter {
            Letter::Invitation {
                invited_by,
                role,
                link: to,
                expires_at,
            } => {
                let invited_by = quoted(invited_by);
                let role = role.known().map_or("user", Role::name);
                let subject = format!("Invitation to {organization}, from {invited_by}");
                let text =
                    format!("{invited_by} invites you to {organization} in Workdesk, as {role}.");
                // The page offers the organization's provider, which the token does not name.
                let of_organization = format!("&organization={}", attempt.organization.id);
                let link = link("Accept the invitation", "accept", to, &of_organization)?;
                let otherwise = "Ignore this mail if you do not know the sender.";
                (subject, with_link(text, link, *expires_at, otherwise))
            }
            Letter::PasswordReset {
                username,
                link: to,
                expires_at,
            } => {
                let account = format!("the account {username} in {organization}");
                let text = format!("A new password was requested for {account}.");
                let link = link("Set a new password", "reset", to, "")?;
                let otherwise = "Without it, the password stays as it is.";
                let parts = with_link(text, link, *expires_at, otherwise);
                (format!("A new password for {username}"), parts)
            }
            Letter::EmailConfirmation {
                username,
                link: to,
                expires_at,
            } => {
                let text =
                    format!("The account {username} in {organization} is to have this address.");
                let link = link("Confirm the address", "confirm", to, "")?;
                let otherwise = "Without it, the address stays as it is.";
                let parts = with_link(text, link, *expires_at, otherwise);
                ("Confirm your address".to_owned(), parts)
            }
            Letter::PasswordChanged(change) => notice("password", change, &organization),
            Letter::EmailChanged(change) => notice("address", change, &organization),
            Letter::ProviderChanged(change) => notice("sign-in provider", change, &organization),
            Letter::Notifications { .. } => return Ok(self.notifications(attempt, web_url)),
        };
        Ok(Some(Written::new(subject, &parts, None)))
    }

    fn notifications(&self, attempt: &MailAttempt, web_url: &str) -> Option<Written> {
        let user = attempt.user.as_ref()?;
        let notifications = attempt.notifications.iter().cloned();
        let notifications = notifications.map(|notification| {
            notification.for_user(|may| user.may(may), user.sees_notes(), web_url)
        });
        let notifications: Vec<JoinedNotification> = notifications.collect();
        let subject = match notifications.as_slice() {
            [] => return None,
            [only] => without_urls(&about(only)),
            _ => {
                let name = quoted(&attempt.organization.name);
                format!("{} notifications of {name}", notifications.len())
            }
        };
        let mut parts = Vec::new();
        for notification in &notifications {
            parts.push(Text(about(notification)));
            parts.extend(
                notification
                    .excerpt
                    .as_deref()
                    .map(|text| Quote(one_line(text))),
            );
            parts.extend(
                notification
                    .url
                    .clone()
                    .map(|url| Link("Open", url)),
            );
        }
        let settings = format!("{web_url}/#/settings/notifications");
        parts.push(Link("Choose the kinds that you get by mail", settings));
        let unsubscription = Unsubscription {
            organization_id: user.organization_id,
            user_id: user.id,
            kinds: notifications
                .iter()
                .map(|notification| notification.kind)
                .collect(),
        };
        let signed = self
            .links
            .signed(&unsubscription.to_string());
        let api_url = self.api_url.text();
        let unsubscribe = format!("{api_url}/api/notifications/unsubscribe?link={signed}");
        Some(Written::new(subject, &parts, Some(unsubscribe)))
    }
}

impl Written {
    fn new(subject: String, parts: &[Part], unsubscribe: Option<String>) -> Self {
        let mut text = String::new();
        let mut html = HEAD.to_owned();
        for part in parts {
            let (plain, shown) = match part {
                Text(paragraph) => (paragraph.clone(), format!("<p>{}</p>", escaped(paragraph))),
                Quote(excerpt) => {
                    let quote = format!("<blockquote>{}</blockquote>", escaped(excerpt));
                    (format!("> {excerpt}"), quote)
                }
                Link(label, url) => {
                    let link = format!("<p><a href=\"{}\">{label}</a></p>", escaped(url));
                    (format!("{label}:\n{url}"), link)
                }
            };
            text.extend([&*plain, "\n\n"]);
            html.push_str(&shown);
        }
        html.push_str("</body></html>");
        Self {
            subject,
            text,
            html,
            unsubscribe,
        }
    }
}

/// The parts of a letter with a link, which works once.
fn with_link(text: String, link: Part, until: Timestamp, otherwise: &str) -> Vec<Part> {
    let ends = format!("The link works once, until {}. {otherwise}", time(until));
    vec![Text(text), link, Text(ends)]
}

/// The subject and the parts of a notice: something of an account changed.
fn notice(changed_field: &str, change: &AccountChange, organization: &str) -> (String, Vec<Part>) {
    let username = &change.username;
    let at = time(change.at);
    let network = change.network.as_ref();
    let by = network.map(|network| format!("from the network {network}"));
    let by = by.unwrap_or_else(|| "by the operator".to_owned());
    let changed = format!(
        "The {changed_field} of the account {username} in {organization} was changed on {at}, {by}."
    );
    let unknown = "If you do not know of it, tell an administrator of your organization at once.";
    let subject = format!("The {changed_field} of {username} was changed");
    (subject, vec![Text(changed), Text(unknown.to_owned())])
}

/// A notification in a line.
fn about(notification: &JoinedNotification) -> String {
    let actor = notification.actor.as_ref();
    let actor = actor.map_or("Somebody", |actor| &actor.full_name);
    let title = notification.subject.title.as_deref();
    let title = title.unwrap_or("a record that you may no longer read");
    let about = match notification.kind {
        NotificationKind::Mentioned => format!("{actor} mentioned you: {title}"),
        NotificationKind::ActionNeeded => format!("An action is yours to do: {title}"),
        NotificationKind::Assigned => format!("Assigned to you: {title}"),
        NotificationKind::ApprovalNeeded => {
            let action = notification
                .excerpt
                .as_deref()
                .unwrap_or(title)
                .replace('`', "");
            format!("Your approval is needed: {action}")
        }
        NotificationKind::Commented => format!("{actor} commented: {title}"),
        NotificationKind::DueSoon => format!("Due within a day: {title}"),
        NotificationKind::Overdue => format!("Overdue: {title}"),
        NotificationKind::WebhookDisabled => format!("A webhook was disabled: {title}"),
        NotificationKind::PolicyLoosened => format!("The agent may do more than before: {title}"),
        NotificationKind::GuardChanged => {
            let change = notification
                .excerpt
                .as_deref()
                .unwrap_or_default();
            format!("{actor} changed what guards the organization: {change}")
        }
    };
    one_line(&about)
}

/// A text of a user on one line: no header gets in.
fn one_line(text: &str) -> String {
    on_one_line(text).trim().to_owned()
}

/// A name that a user wrote, in quotes: it reads as a name, and not as a sentence of the service.
/// It leads nowhere.
fn quoted(name: &str) -> String {
    let name = without_urls(&one_line(name));
    let whole = name.chars().count() <= NAME;
    let end = if whole { "" } else { "…" };
    format!("“{}{end}”", beginning(&name, NAME).trim_end())
}

/// A line without the words that lead to a page. `…` stands for each.
fn without_urls(line: &str) -> String {
    let words = line.split(' ');
    let words = words.map(|word| if leads_to_page(word) { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// True for a word such as `https://x`, `www.x` or `x.example/y`.
fn leads_to_page(word: &str) -> bool {
    let word = word.to_lowercase();
    let has_path = word
        .split_once('/')
        .is_some_and(|(host, _)| host.contains('.'));
    word.contains("://") || word.contains("www.") || has_path
}

/// An instant as `2026-01-15 12:00 UTC`.
fn time(at: Timestamp) -> String {
    let text = at.to_string();
    let (day, time) = text
        .split_once('T')
        .unwrap_or((&text, ""));
    format!("{day} {} UTC", time.get(..5).unwrap_or_default())
}

fn escaped(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;");
    text.replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_wrote_is_text() {
        let name = one_line("Eve\r\nBcc: <b>all</b>@example.com");
        assert_eq!(name, "Eve  Bcc: <b>all</b>@example.com");
        let parts = [Text(name.clone()), Quote("\"&".to_owned())];
        let Written { text, html, .. } = Written::new(name.clone(), &parts, None);
        assert!(text.starts_with(&format!("{name}\n\n> \"&")), "{text}");
        for part in ["&lt;b&gt;all&lt;/b&gt;", "&quot;&amp;"] {
            assert!(html.contains(part), "{html}");
        }
    }

    #[test]
    fn a_name_is_no_sentence_of_the_service_and_leads_nowhere() {
        for (name, shown) in [
            ("Ada Lindqvist", "“Ada Lindqvist”"),
            ("J.R.R. Tolkien", "“J.R.R. Tolkien”"),
            ("Booking.com", "“Booking.com”"),
            (
                "Your account is locked: https://evil.example/x click",
                "“Your account is locked: … click”",
            ),
            ("See WWW.evil.example, evil.example/x", "“See … …”"),
            ("(HTTP://evil.example)", "“…”"),
        ] {
            assert_eq!(quoted(name), shown);
        }
        let long = quoted(&"ä".repeat(255));
        assert_eq!(long, format!("“{}…”", "ä".repeat(NAME)));
        let line = without_urls("Overdue: read https://wiki.example/page and/or 1/2");
        assert_eq!(line, "Overdue: read … and/or 1/2");
    }

    #[test]
    fn an_instant_is_short() {
        let at = "2026-01-15T12:34:56.789Z"
            .parse()
            .unwrap();
        assert_eq!(time(at), "2026-01-15 12:34 UTC");
    }
}
