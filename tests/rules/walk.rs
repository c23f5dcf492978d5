//! The way of an approved action in shared/README.md: each step is a function of the file that it
//! links.

use std::fs;

use tests::path;

/// The most steps.
const MOST: usize = 20;

#[test]
fn each_step_of_an_approved_action_is_a_function() {
    let text = fs::read_to_string(path("shared/README.md")).unwrap();
    let (_, section) = text
        .split_once("\n## An approved action\n")
        .unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let mut steps = 0;
    for line in section.lines() {
        let Some((number, rest)) = line.split_once(". [`") else {
            continue;
        };
        steps += 1;
        assert_eq!(number, steps.to_string(), "{line}");
        let (name, rest) = rest.split_once("`](").unwrap();
        let (file, _) = rest.split_once(')').unwrap();
        let code = fs::read_to_string(path("shared").join(file)).unwrap();
        let is_there = ["(", "<"].map(|after| code.contains(&format!("fn {name}{after}")));
        assert!(is_there.contains(&true), "{file} has no function {name}");
    }
    assert!((10..=MOST).contains(&steps), "{steps} steps");
}
