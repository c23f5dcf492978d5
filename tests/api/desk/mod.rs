//! `/` and `/desk`

mod file;
mod page;

use std::collections::BTreeSet;

use tests::support::Answer;

/// The names of files of the desk that the page has after `before`.
pub fn named(page: &Answer, before: &str) -> BTreeSet<String> {
    let places = page.text.split(before).skip(1);
    places
        .map(|rest| {
            rest.split_once('"')
                .unwrap()
                .0
                .to_owned()
        })
        .collect()
}
