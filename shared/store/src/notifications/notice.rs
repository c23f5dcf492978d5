//! Notices: what follows from a change, before it is known which users it reaches.

use std::collections::BTreeSet;

use agent::AgentSession;
use model::{
    CommentId, Id, NotificationKind, NotificationSubject, Permission, Thread, TicketId, Timestamp,
    UserId, input::on_one_line,
};

/// The most characters of an excerpt.
const EXCERPT: usize = 200;

/// A kind of notification for some users.
#[derive(Clone, Debug)]
pub struct Notice {
    pub(super) kind: NotificationKind,
    /// The name of what it follows from. A user gets one notification of a cause.
    pub(super) cause: String,
    pub(super) subject: NotificationSubject,
    /// The user who acted, who is not notified.
    pub(super) actor: Option<UserId>,
    /// The comment or message that was written.
    pub(super) said: Option<Said>,
    pub(super) excerpt: Option<String>,
    /// True for an internal note.
    pub(super) internal: bool,
    pub(super) to: Audience,
}

/// The users that a notice is for.
#[derive(Clone, Debug)]
pub(super) enum Audience {
    /// This user.
    User(UserId),
    /// The users with these case-folded usernames.
    Named(BTreeSet<String>),
    /// The creator, the assignee and those who wrote before this.
    Talk(Said),
    /// All users with the permission.
    Holders(Permission),
    /// All users whose approval the session awaits.
    Approvers(Box<AgentSession>),
}

/// A comment or a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) on: Talk,
    pub(super) at: Timestamp,
    pub(super) id: i64,
}

/// A record that users write comments or messages on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Talk {
    Thread(Thread),
    Ticket(TicketId),
}

impl Said {
    /// The comment; `None` for a message.
    pub(super) fn comment(self) -> Option<CommentId> {
        match self.on {
            Talk::Thread(_) => CommentId::new(self.id),
            Talk::Ticket(_) => None,
        }
    }
}

impl Notice {
    /// A notice without a text.
    pub(super) fn new(
        kind: NotificationKind,
        cause: String,
        subject: NotificationSubject,
        to: Audience,
    ) -> Self {
        Self {
            kind,
            cause,
            subject,
            actor: None,
            said: None,
            excerpt: None,
            internal: false,
            to,
        }
    }

    /// The notice with the beginning of a text.
    pub(super) fn quoting(self, text: &str) -> Self {
        Self {
            excerpt: Some(excerpt(text)),
            ..self
        }
    }
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let text = on_one_line(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(
            excerpt(" Move\r\n\tthe  invoices\u{202e}. "),
            "Move the invoices ."
        );
        let long = excerpt(&"ä".repeat(201));
        assert_eq!(long, format!("{}…", "ä".repeat(200)));
        assert_eq!(excerpt(&"ä".repeat(200)), "ä".repeat(200));
    }
}
