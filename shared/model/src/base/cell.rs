//! Cells: stacks that form one service.

use std::{fmt, sync::Arc};

/// The name of a stack among those that form one service: 1 to 8 ASCII letters or digits. Tokens
/// and session ids name the cell that made them. Those without a name belong to cell 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell(Arc<str>);

impl Cell {
    const FIRST: &str = "0";

    /// Returns `None` for a text of another form.
    pub fn new(name: &str) -> Option<Self> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
        ((1..=8).contains(&name.len()) && name.bytes().all(is_letter)).then(|| Self(name.into()))
    }

    /// The name in new credentials. Cell 0 writes none: instances of the release before read no
    /// name, and serve beside those of this one.
    pub fn written(&self) -> Option<&Self> {
        (*self.0 != *Self::FIRST).then_some(self)
    }

    /// Returns true if a credential with this name, or without one, is this cell's.
    pub fn made(&self, named: Option<&str>) -> bool {
        named.unwrap_or(Self::FIRST) == &*self.0
    }
}

impl Default for Cell {
    fn default() -> Self {
        Self(Self::FIRST.into())
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_1_to_8_letters_or_digits() {
        for name in ["0", "eu1", "ABCdef78"] {
            assert_eq!(Cell::new(name).unwrap().to_string(), name);
        }
        for name in ["", "eu_1", "eu-1", "eu.1", "ä", "123456789"] {
            assert_eq!(Cell::new(name), None, "{name}");
        }
    }

    #[test]
    fn what_names_no_cell_is_of_cell_0() {
        let first = Cell::default();
        let other = Cell::new("eu1").unwrap();
        assert!(first.made(None) && first.made(Some("0")) && other.made(Some("eu1")));
        assert_eq!((first.written(), other.written()), (None, Some(&other)));
        assert!(!first.made(Some("eu1")) && !other.made(None) && !other.made(Some("EU1")));
    }
}
