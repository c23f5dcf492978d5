//! The guide that is printed when everything runs.

use std::path::Path;

use crate::demo_data::{ACCOUNTS, PASSWORD};

/// Returns the guide. Its commands work when they are pasted into bash as they are printed. They
/// take ids out of answers with Python, which Workdesk needs anyway, since jq may be missing.
pub(crate) fn text(url: &str, targets_url: &str, data: &Path, cookies: &Path) -> String {
    let accounts = ACCOUNTS
        .map(|account| format!("{} ({})", account.username, account.role))
        .join(", ");
    let username = ACCOUNTS[0].username;
    let jar = quoted(&cookies.display().to_string());
    let data = data.display();
    format!(
        r#"
Workdesk is running. Ctrl-C stops it.

  API                   {url}
  API reference         {url}/api/docs
  Demo billing system   {targets_url}
  Data                  {data} (cargo local --fresh deletes it)
  Accounts              {accounts}
  Password              {PASSWORD}

Paste into bash to create a task and to execute an action of the agent:
  api() {{ curl -sS -b {jar} -c {jar} -H 'Content-Type: application/json' -X "$1" {url}/api"$2" "${{@:3}}"; echo; }}
  pick() {{ python3 -c "import json, sys; a = sys.stdin.read(); sys.stderr.write(a); print(json.loads(a)$1)"; }}
  # Sign in, create a task and list it.
  api POST /auth/login -d '{{"username":"{username}","password":"{PASSWORD}"}}'
  api POST /tasks -d '{{"title":"Look around","projectId":1}}'
  api GET '/tasks?projectId=1&sort=-id&limit=1'
  # Open a session on an alert and have the agent propose actions.
  alert=$(api GET '/concierge/alerts?status=open&limit=1' | pick '[0]["id"]')
  session=$(api POST /concierge/alerts/$alert/agent-session | pick '["session"]["id"]')
  action=$(api POST /concierge/agent-sessions/$session/propose | pick '["session"]["proposedActions"][0]["id"]')
  # List the proposals, preview the first action, approve it and wait for its result.
  api GET '/concierge/agent-sessions?status=awaiting_confirmation'
  api POST /concierge/agent-sessions/$session/preview -d "{{\"actionIds\":[\"$action\"]}}"
  api POST /concierge/agent-sessions/$session/execute -H 'Prefer: wait=10' -d "{{\"actionIds\":[\"$action\"]}}"
  # Read the session, check its journal, and list the effects in the demo billing system.
  api GET /concierge/agent-sessions/$session
  api GET /concierge/agent-sessions/$session/journal/check
  curl -sS {targets_url}/effects; echo
"#
    )
}

/// Quotes a text as one word of a shell.
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
