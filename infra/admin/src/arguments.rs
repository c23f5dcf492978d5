//! The arguments of a subcommand.

use lexopt::{Arg::Value, Parser};

use crate::error::Error;

/// As many values as the subcommand has, and nothing else; `expected` names them in order.
pub(crate) fn values<const N: usize>(
    mut given: Parser,
    expected: &'static str,
) -> Result<[String; N], Error> {
    let mut values = Vec::new();
    while let Some(argument) = given.next()? {
        match argument {
            Value(value) => values.push(value.into_string().map_err(lexopt::Error::from)?),
            other => return Err(other.unexpected().into()),
        }
    }
    values.try_into().map_err(|_| Error::Arguments(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<[String; 2], Error> {
        values(Parser::from_args(arguments), "ONE TWO")
    }

    #[test]
    fn as_many_as_the_subcommand_has() {
        assert_eq!(given(&["a", "b c"]).unwrap(), ["a", "b c"]);
        for wrong in [&["a"][..], &["a", "b", "c"], &["a", "--b"]] {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
    }
}
