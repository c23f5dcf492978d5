//! Names and words as searches and keys compare them.

/// Folds a name's case, so that names are compared without regard to it.
pub(crate) fn fold(name: &str) -> String {
    caseless::default_case_fold_str(name)
}

/// Splits a text into its words, case-folded, each with a space before it. In their concatenation,
/// ` ac` occurs if and only if a word begins with `ac`.
pub(crate) fn words(text: &str) -> Vec<String> {
    fold(text)
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!(" {word}"))
        .collect()
}
