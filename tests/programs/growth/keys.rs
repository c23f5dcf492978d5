//! Patterns of keys: what stays of a key without the names and ids of one record.

use std::fmt;

/// The keys that have one form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    pub scope: Scope,
    /// `None` is the table.
    pub index: Option<String>,
    pub partition: String,
    pub sort: Sort,
}

/// The extent to which the records of a partition key are shared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All organizations write to it.
    Deployment,
    Organization,
    /// A record, a user or a word, by its placeholder.
    Part(String),
}

/// The form of a sort key, which decides if DynamoDB can split its partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// One item of that name.
    Item(String),
    /// One item a day.
    Day,
    /// Instants: all that is new, due or changed is near one end.
    Instant,
    /// Padded numbers: additions come at the end, changes anywhere.
    Number,
    /// Hashes, names and kinds.
    Spread,
}

/// Names before a user's name or a secret's hash. The keys of other partitions of no organization
/// are shared by all.
const PERSONAL: [&str; 6] = ["EMAIL", "LINK", "MAILS", "SIGN_IN", "TOKEN", "USERNAME"];

impl Pattern {
    /// The pattern of a key.
    pub fn new(index: Option<&str>, partition: &str, sort: Sort) -> Self {
        let (partition, scope) = pattern(partition);
        Self {
            scope,
            index: index.map(str::to_owned),
            partition,
            sort,
        }
    }
}

/// The pattern of a partition key, and its scope.
fn pattern(partition: &str) -> (String, Scope) {
    let mut segments = partition.split('#');
    let first = segments.next().unwrap_or_default();
    let is_shared = first != "ORG" && !PERSONAL.contains(&first);
    let mut name = first;
    let mut pattern = vec![first.to_owned()];
    let mut placeholders = Vec::new();
    for segment in segments {
        let is_word = is_capitals(segment) || (is_shared && !is_number(segment));
        if is_word {
            name = segment;
            pattern.push(segment.to_owned());
            continue;
        }
        let placeholder = if is_shared {
            "<n>".to_owned()
        } else {
            format!("<{}>", name.to_lowercase())
        };
        // Two values after one another are one.
        if pattern.last() != Some(&placeholder) {
            placeholders.push(name.to_lowercase());
            pattern.push(placeholder);
        }
    }
    let scope = match placeholders.as_slice() {
        _ if is_shared => Scope::Deployment,
        [organization] if organization == "org" => Scope::Organization,
        _ => Scope::Part(placeholders.pop().unwrap_or_default()),
    };
    (pattern.join("#"), scope)
}

impl Sort {
    /// The form of a sort key.
    pub fn of(sort: &str) -> Self {
        let part = |separator: &[char]| {
            sort.split(separator)
                .next()
                .unwrap_or_default()
        };
        let first = part(&['#']);
        let is_day = has_form(first, "0000-00-00");
        if is_capitals(sort) {
            Self::Item(sort.to_owned())
        } else if is_day && first == sort {
            Self::Day
        } else if is_day || has_form(first, "0000-00-00T00:00:00.000Z") {
            Self::Instant
        } else if has_form(part(&['#', '-']), "0000000000000") {
            // Milliseconds since 1970.
            Self::Instant
        } else if has_form(first, "0000000000000000") {
            Self::Number
        } else {
            Self::Spread
        }
    }
}

/// Returns whether a text is like a form, in which zeros are digits.
fn has_form(text: &str, form: &str) -> bool {
    let mut both = text.bytes().zip(form.bytes());
    let is_same = |(byte, wanted): (u8, u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        _ => byte == wanted,
    };
    text.len() == form.len() && both.all(is_same)
}

fn is_capitals(text: &str) -> bool {
    let capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    !text.is_empty() && text.bytes().all(capital)
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self
            .index
            .as_ref()
            .map(|name| format!("{name} "));
        let partition = self.partition.strip_prefix("ORG#<org>");
        let partition = partition.filter(|rest| !rest.is_empty());
        let partition = partition.unwrap_or(&self.partition);
        let sort = match &self.sort {
            Sort::Item(name) => name,
            Sort::Day => "<day>",
            Sort::Instant => "<instant>",
            Sort::Number => "<number>",
            Sort::Spread => "…",
        };
        write!(f, "{}`{partition}` / `{sort}`", index.unwrap_or_default())
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deployment => f.write_str("all organizations"),
            Self::Organization => f.write_str("an organization"),
            Self::Part(name) => write!(f, "one {}", name.replace('_', " ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_key_tells_who_shares_it() {
        let part = |name: &str| Scope::Part(name.to_owned());
        for (key, expected, scope) in [
            ("ORG#7", "ORG#<org>", Scope::Organization),
            ("ORG#7#TASK", "ORG#<org>#TASK", Scope::Organization),
            (
                "ORG#7#PROJECT#12#TASK",
                "ORG#<org>#PROJECT#<project>#TASK",
                part("project"),
            ),
            (
                "ORG#7#EFFECT#billing#retry_payment",
                "ORG#<org>#EFFECT#<effect>",
                part("effect"),
            ),
            ("DUE#agent_action", "DUE#agent_action", Scope::Deployment),
            ("DUE#cleanup#11", "DUE#cleanup#<n>", Scope::Deployment),
            ("COUNTER#task", "COUNTER#task", Scope::Deployment),
            ("STACK", "STACK", Scope::Deployment),
            ("USERNAME#ada", "USERNAME#<username>", part("username")),
        ] {
            assert_eq!(pattern(key), (expected.to_owned(), scope), "{key}");
        }
    }

    #[test]
    fn a_sort_key_tells_how_a_partition_grows() {
        for (sort, form) in [
            ("JOURNAL", Sort::Item("JOURNAL".to_owned())),
            ("2026-01-15", Sort::Day),
            ("2026-01-15#7#billing#inv_1", Sort::Instant),
            ("2026-01-15T12:00:00.000Z#0000000000000001", Sort::Instant),
            ("1768478400000-comment-3-1", Sort::Instant),
            ("0000000000000007", Sort::Number),
            ("0000000000001024#0000000000000007", Sort::Number),
            ("ACTION#a1", Sort::Spread),
            ("inv_1", Sort::Spread),
            ("1768478400000a1b", Sort::Spread),
        ] {
            assert_eq!(Sort::of(sort), form, "{sort}");
        }
    }
}
