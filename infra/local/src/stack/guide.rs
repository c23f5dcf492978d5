//! The guide that is printed when everything runs.

use std::path::Path;

use crate::{
    demo_data::{DemoData, PASSWORD},
    engines::Engines,
};

/// Returns the guide. Its commands work when they are pasted into bash as they are printed. They
/// shorten answers by grep, since jq may be missing.
pub(crate) fn text(
    url: &str,
    targets_url: &str,
    demo: &DemoData,
    engines: &Engines,
    data: &Path,
    cookies: &Path,
) -> String {
    let accounts = demo.accounts().iter();
    let accounts: Vec<String> = accounts
        .map(|account| format!("{} ({})", account.username, account.role))
        .collect();
    let accounts = accounts.join(", ");
    let jar = quoted(&cookies.display().to_string());
    let data = data.display();
    let dynamodb = engines.dynamodb_url();
    let sqs = engines.sqs_url();
    let table = engines.table_name();
    format!(
        r#"Workdesk is running: {url}/

  Accounts              {accounts}
  Password              {PASSWORD}
  API reference         {url}/api/docs
  Demo billing system   {targets_url}/state
  Mails                 {targets_url}/mail
  Table                 {table} at {dynamodb}
  Queues                {sqs}
  Data                  {data} (--fresh deletes it)

Ctrl-C stops everything.

Paste into bash, once for each --fresh: max has an action proposed, ada approves it, and the journal tells who did what:
  jar={jar}
  api() {{ curl -sS -b "$jar" -c "$jar" -H 'Content-Type: application/json' -X "$1" {url}/api"$2" "${{@:3}}"; echo; }}
  login() {{ api POST /auth/login -d "{{\"username\":\"$1\",\"password\":\"{PASSWORD}\"}}" | show fullName; }}
  show() {{ grep -oE "\"($1)\":(\"([^\"\\\\]|\\\\.)*\"|[^][{{}},]+)"; echo; }}
  pick() {{ grep -oE "\"$1\":\"?[^\",}}]+" | head -1 | grep -oE '[^":]+$'; }}
  # The admin sets a policy: who had an action proposed that moves money does not approve it.
  login ada
  api PUT /concierge/policy -d '{{"preset":"billing"}}' | show version
  # A manager opens a session on an alert and has actions proposed. The policy refuses his approval of them.
  login max
  alert=$(api GET '/concierge/alerts?status=open&signalType=invoice_generation_failed' | pick id)
  session=/concierge/agent-sessions/$(api POST /concierge/alerts/$alert/agent-session | pick 'session":{{"id')
  api POST $session/propose | show description
  action=$(api GET $session | pick 'proposedActions":\[{{"id')
  api POST $session/execute -d "{{\"actionIds\":[\"$action\"]}}" | show 'status|detail'
  # The admin finds the proposal, previews the first action, and approves it.
  login ada
  api GET '/concierge/agent-sessions?next=me' | show what
  api POST $session/preview -d "{{\"actionIds\":[\"$action\"]}}" | show 'method|url|mayApprove'
  api POST $session/execute -d "{{\"actionIds\":[\"$action\"]}}" | show success
  # The session is completed, and its open work is listed: the invoice is still to be made.
  api GET '/concierge/agent-sessions?open=true' | show 'status|openActions|what'
  # The journal, its check, and the effects in the demo billing system.
  api GET $session/journal | show 'what|type'
  api GET $session/journal/check | show verified
  curl -sS {targets_url}/effects | show 'operation|entity'
  # The admin invites a person. She makes her account by the link of the mail, and a task.
  who=noor$RANDOM
  mailed() {{ curl -sS {targets_url}/mail | tr '}}' '\n' | grep "$who@" | grep -oE "[#]/$1.token=[A-Za-z0-9_-]+" | head -1 | cut -d= -f2; }}
  link() {{ until [ -n "$(mailed $1)" ]; do sleep 0.2; done; mailed $1; }}
  api POST /invitations -d "{{\"email\":\"$who@halden.example\",\"role\":\"member\"}}" | show 'role|expiresAt'
  api POST /auth/accept -d "{{\"token\":\"$(link accept)\",\"username\":\"$who\",\"fullName\":\"Noor Haddad\",\"password\":\"four words of her own\"}}" | show fullName
  api POST /tasks -d '{{"title":"Compare the invoices of March","projectId":1}}' | show title
  # She forgets her password, and sets another one by a link.
  api POST /auth/forgot -d "{{\"username\":\"$who\"}}" > /dev/null
  api POST /auth/reset -d "{{\"token\":\"$(link reset)\",\"password\":\"another four words\"}}" > /dev/null
  api POST /auth/login -d "{{\"username\":\"$who\",\"password\":\"another four words\"}}" | show username
  # A webhook calls a receiver of the demo: a tag was created.
  login ada
  webhook=$(api POST /webhooks -d '{{"url":"{targets_url}/heard","types":["tag.created"]}}' | pick id)
  api POST /tags -d "{{\"name\":\"told $RANDOM\"}}" | show name
  until curl -sS {targets_url}/heard | grep tag.created; do sleep 0.2; done
  api DELETE /webhooks/$webhook
"#
    )
}

/// Returns the notice of a stack of engines alone.
pub(crate) fn paused(engines: &Engines) -> String {
    let table = engines.table_name();
    let dynamodb = engines.dynamodb_url();
    format!("Paused: only the engines run. Table {table} at {dynamodb}")
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
