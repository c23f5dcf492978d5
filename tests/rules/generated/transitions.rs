//! The diagrams of sessions and actions, from the table that the crate `agent` checks cell by cell.

use std::fs;

use tests::path;

/// Rows of machine, state, circumstances, command, state after, and event or refusal.
const TABLE: &str = "shared/agent/src/tests/transitions.txt";

/// Returns the diagram of a machine, whose first state is reached by a command.
pub fn diagram(machine: &str, begin: &str) -> Vec<String> {
    let table = fs::read_to_string(path(TABLE)).unwrap();
    let mut arrows: Vec<(String, Vec<String>)> = Vec::new();
    for row in table.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [of, from, circumstances, command, to, _] = cells[..] else {
            panic!("{row:?} has not six cells");
        };
        if of != machine || to == "-" || from == to {
            continue;
        }
        let label = match circumstances {
            "-" => command.to_owned(),
            _ => format!("{command} ({circumstances})"),
        };
        let arrow = format!("    {from} --> {to}");
        match arrows
            .iter_mut()
            .find(|(known, _)| *known == arrow)
        {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => arrows.push((arrow, vec![label])),
        }
    }
    let arrows = arrows
        .into_iter()
        .map(|(arrow, labels)| format!("{arrow}: {}", labels.join(", or ")));
    let head = ["", "```mermaid", "stateDiagram-v2"].map(str::to_owned);
    let begin = format!("    [*] --> {begin}");
    head.into_iter()
        .chain([begin])
        .chain(arrows)
        .chain(["```", ""].map(str::to_owned))
        .collect()
}
