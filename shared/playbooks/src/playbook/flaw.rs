//! Flaws of playbooks, in words.

pub(super) const NO_PATH: &str =
    "a path begins with a slash, and a placeholder of it is a whole segment";

/// Returns the first flaw that is there, after its subject.
pub(super) fn none_of<const N: usize>(
    subject: &str,
    flaws: [(bool, &str); N],
) -> Result<(), String> {
    let found = flaws.into_iter().find(|(is_there, _)| *is_there);
    found.map_or(Ok(()), |(_, flaw)| Err(format!("{subject}{flaw}")))
}
