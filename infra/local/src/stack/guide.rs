//! What a person sees when everything runs.

use std::path::Path;

use crate::demo_data::{ACCOUNTS, FIRST_SIGNAL, PASSWORD};

/// The guide, with commands that work as they are printed.
pub(crate) fn text(url: &str, targets_url: &str, data: &Path, cookies: &Path) -> String {
    let accounts = ACCOUNTS
        .map(|account| format!("  {:<8} {}", account.username, account.role))
        .join("\n");
    let username = ACCOUNTS[0].username;
    let jar = quoted(&cookies.display().to_string());
    let data = data.display();
    format!(
        r#"
Workdesk answers at {url}, its demo billing system at {targets_url}.
The reference, to read and to try: {url}/api/docs
Data is kept in {data}; --fresh starts over. Ctrl-C stops everything.

Accounts, each with the password {PASSWORD}:
{accounts}

Sign in, list tasks, open an agent session, see what the agent changed:
  curl -c {jar} -H 'Content-Type: application/json' -d '{{"username":"{username}","password":"{PASSWORD}"}}' {url}/api/auth/login
  curl -b {jar} {url}/api/tasks
  curl -b {jar} -X POST {url}/api/concierge/alerts/{FIRST_SIGNAL}/agent-session
  curl {targets_url}/effects
"#
    )
}

/// As a shell takes it for one word.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    if text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_space_is_one_word() {
        assert_eq!(quoted("/tmp/a-b_c.txt"), "/tmp/a-b_c.txt");
        assert_eq!(quoted("/tmp/a b's"), r"'/tmp/a b'\''s'");
    }
}
