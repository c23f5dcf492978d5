//! The lines that are printed when everything runs.

use std::path::Path;

use crate::{
    demo_data::{DemoData, PASSWORD},
    engines::Engines,
};

/// Returns ten lines: the addresses, and three things to try. Programs read the table and its
/// address from the line `Table`.
pub(crate) fn text(
    url: &str,
    targets_url: &str,
    demo: &DemoData,
    engines: &Engines,
    data: &Path,
) -> String {
    let accounts: Vec<String> = demo
        .accounts()
        .iter()
        .map(|account| format!("{} ({})", account.username, account.role))
        .collect();
    let accounts = accounts.join(", ");
    let data = data.display();
    let dynamodb = engines.dynamodb_url();
    let table = engines.table_name();
    format!(
        "Workdesk is running: {url}/ (Ctrl-C stops it)
  Accounts   {accounts}, each with the password {PASSWORD}
  Reference  {url}/api/docs
  Mails      {targets_url}/mail
  Data       {data} (--fresh deletes it)
  Table      {table} at {dynamodb}
Try this:
  1. Open {url}/ and sign in as ada: an action of the agent awaits your approval.
  2. See what the approved action changed in the demo billing system: {targets_url}/effects
  3. Follow an alert by the API: infra/local/README.md of the sources has commands to paste.
"
    )
}

/// Returns the notice of a stack of engines alone.
pub(crate) fn paused(engines: &Engines) -> String {
    let table = engines.table_name();
    let dynamodb = engines.dynamodb_url();
    format!("Paused: only the engines run. Table {table} at {dynamodb}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Options;

    #[tokio::test]
    async fn ten_lines_name_the_desk_first_and_the_table_on_a_line_of_its_own() {
        let engines = Engines::start(Options::default())
            .await
            .unwrap();
        let demo = DemoData::shipped().unwrap();
        let text = text("http://a", "http://b", &demo, &engines, Path::new("/data"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert!(lines[0].starts_with("Workdesk is running: http://a/ "));
        let table = engines.table_name();
        let address = engines.dynamodb_url();
        let line = format!("  Table      {table} at {address}");
        assert!(lines.contains(&line.as_str()), "{text}");
        engines.stop().await;
    }
}
