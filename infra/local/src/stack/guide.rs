//! The guide that is printed when everything runs.

use std::path::Path;

use crate::demo_data::{ACCOUNTS, PASSWORD};

/// Returns the guide. Its commands work when they are pasted into bash as they are printed. They
/// shorten answers with Python, which Workdesk needs anyway, since jq may be missing.
pub(crate) fn text(url: &str, targets_url: &str, data: &Path, cookies: &Path) -> String {
    let accounts = ACCOUNTS
        .map(|account| format!("{} ({})", account.username, account.role))
        .join(", ");
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

Paste into bash: max has an action proposed, ada approves it, and the journal tells who did what:
  jar={jar}
  api() {{ curl -sS -b "$jar" -c "$jar" -H 'Content-Type: application/json' -X "$1" {url}/api"$2" "${{@:3}}"; }}
  login() {{ api POST /auth/login -d "{{\"username\":\"$1\",\"password\":\"{PASSWORD}\"}}" | show 'a["fullName"]'; }}
  show() {{ python3 -c "import json, sys; a = json.load(sys.stdin); print(json.dumps($1, indent=1, ensure_ascii=False))"; }}
  pick() {{ python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }}
  # The admin sets a policy: who had an action proposed that moves money does not approve it.
  login ada
  api PUT /concierge/policy -d '{{"preset":"billing"}}' | show '{{"rules": len(a["rules"]), "version": a["version"]}}'
  # A manager opens a session on an alert and has actions proposed. The policy refuses his approval of them.
  login max
  alert=$(api GET '/concierge/alerts?status=open&signalType=invoice_generation_failed' | pick '[0]["id"]')
  session=/concierge/agent-sessions/$(api POST /concierge/alerts/$alert/agent-session | pick '["session"]["id"]')
  api POST $session/propose | show '[one["description"] for one in a["session"]["proposedActions"]]'
  action=$(api GET $session | pick '["proposedActions"][0]["id"]')
  api POST $session/execute -d "{{\"actionIds\":[\"$action\"]}}" | show '{{"status": a["status"], "detail": a["detail"]}}'
  # The admin finds the proposal, previews the first action, and approves it.
  login ada
  api GET '/concierge/agent-sessions?next=me' | show '[row["next"] for row in a]'
  api POST $session/preview -d "{{\"actionIds\":[\"$action\"]}}" | show '{{k: a["actions"][0][k] for k in ("requests", "policy")}}'
  api POST $session/execute -d "{{\"actionIds\":[\"$action\"]}}" | show '{{"status": a["session"]["status"], "success": a["results"][0]["success"]}}'
  # The session is completed, and its open work is listed: the invoice is still to be made.
  api GET '/concierge/agent-sessions?open=true' | show '[{{k: row[k] for k in ("status", "openActions", "next")}} for row in a]'
  # The journal, its check, and the effects in the demo billing system.
  api GET $session/journal | show '[" ".join((e["at"], e["what"], e["actor"]["type"])) for e in a]'
  api GET $session/journal/check | show '{{"verified": a["verified"]}}'
  curl -sS {targets_url}/effects | show '[" ".join((e["operation"], e["entity"])) for e in a]'
  # A webhook calls a receiver on this machine, which shows the first message: a tag was created.
  heard=$(mktemp)
  python3 -uc 'import http.server as h; R = type("R", (h.BaseHTTPRequestHandler,), {{"do_POST": lambda r: (print(r.rfile.read(int(r.headers["content-length"])).decode()), r.send_response(204), r.end_headers()), "log_message": lambda *_: None}}); s = h.HTTPServer(("127.0.0.1", 0), R); s.timeout = 60; print(s.server_port); s.handle_request()' > "$heard" &
  until [ -s "$heard" ]; do sleep 0.1; done
  webhook=$(api POST /webhooks -d "{{\"url\":\"http://127.0.0.1:$(head -1 "$heard")/\",\"types\":[\"tag.created\"]}}" | pick '["id"]')
  api POST /tags -d "{{\"name\":\"told $RANDOM\"}}" | show 'a["name"]'
  wait; tail -n +2 "$heard"; api DELETE /webhooks/$webhook
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
