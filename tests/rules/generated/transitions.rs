//! The diagrams of sessions and actions, from the table that the crate `agent` checks cell by cell.

use std::fs;

use tests::path;

/// Rows of machine, state, circumstances, command, state after, and event or refusal.
const TABLE: &str = "shared/agent/src/tests/transitions.txt";

/// An arrow of a diagram: the state before and the one after.
type Arrow = (String, String);
/// A command, and the circumstances in which it takes an arrow.
type Label = (String, Vec<String>);

/// Returns the diagram of a machine, whose first state is reached by a command.
pub fn diagram(machine: &str, begin: &str) -> Vec<String> {
    let arrows = arrows_of(machine);
    let drawn = arrows
        .iter()
        .filter(|((from, to), _)| from != to)
        .map(|(arrow, labels)| {
            let (from, to) = arrow;
            let labels = labels
                .iter()
                .map(|label| text_of(label, arrow, &arrows))
                .collect::<Vec<_>>()
                .join(", or ");
            format!("    {from} --> {to}: {labels}")
        });
    let head = ["", "```mermaid", "stateDiagram-v2"].map(str::to_owned);
    let begin = format!("    [*] --> {begin}");
    head.into_iter()
        .chain([begin])
        .chain(drawn)
        .chain(["```", ""].map(str::to_owned))
        .collect()
}

/// The arrows of a machine in the order of the table, each with its commands.
fn arrows_of(machine: &str) -> Vec<(Arrow, Vec<Label>)> {
    let table = fs::read_to_string(path(TABLE)).unwrap();
    let mut arrows: Vec<(Arrow, Vec<Label>)> = Vec::new();
    for row in table.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [of, from, circumstances, command, to, _] = cells[..] else {
            panic!("{row:?} has not six cells");
        };
        if of != machine || to == "-" {
            continue;
        }
        let labels = entry(&mut arrows, (from.to_owned(), to.to_owned()));
        entry(labels, command.to_owned()).push(circumstances.to_owned());
    }
    arrows
}

/// The value of a key, which is added behind the others if it is new.
fn entry<K: PartialEq, V: Default>(entries: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = entries
        .iter()
        .position(|(known, _)| *known == key)
        .unwrap_or_else(|| {
            entries.push((key, V::default()));
            entries.len() - 1
        });
    &mut entries[at].1
}

/// The command, with its circumstances unless they are the usual ones: `-` is among them, or they
/// are more than those of the command's other arrow from the state.
fn text_of(
    (command, circumstances): &Label,
    arrow: &Arrow,
    arrows: &[(Arrow, Vec<Label>)],
) -> String {
    let others = arrows
        .iter()
        .filter(|(other, _)| other.0 == arrow.0 && other != arrow)
        .flat_map(|(_, labels)| labels)
        .filter(|(other, _)| other == command)
        .map(|(_, circumstances)| circumstances.len());
    let most_of_others = others.max().unwrap_or(1);
    if circumstances
        .iter()
        .any(|known| known == "-")
        || circumstances.len() > most_of_others
    {
        return command.clone();
    }
    format!("{command} ({})", circumstances.join("; "))
}
