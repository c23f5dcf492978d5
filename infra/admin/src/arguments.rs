//! Arguments of a subcommand.

use lexopt::{
    Arg::{Long, Short, Value},
    Parser,
};

use shared::model::base::{Id, OrganizationId};

use crate::{error::Error, terminal};

/// The required values of a subcommand, and further ones.
type Values<const N: usize> = ([String; N], Vec<String>);

/// The values of a subcommand, and those of each of its options, as often as it was given.
type WithOptions<const N: usize, const M: usize> = ([String; N], [Vec<String>; M]);

/// Returns the id of an organization, as an argument has it.
pub(crate) fn organization_id(text: &str) -> Result<OrganizationId, Error> {
    let id = text
        .parse()
        .ok()
        .and_then(OrganizationId::new);
    id.ok_or_else(|| Error::Invalid(format!("{text} is not an organization's id")))
}

/// Reads `N` values and any further ones. Prints `usage` and returns none for `--help`; an error
/// with `usage` for fewer than `N` values.
pub(crate) fn values<const N: usize>(
    mut parser: Parser,
    usage: &'static str,
) -> Result<Option<Values<N>>, Error> {
    let mut values = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(value) => values.push(
                value
                    .into_string()
                    .map_err(lexopt::Error::from)?,
            ),
            Short('h') | Long("help") => {
                terminal::say(usage);
                return Ok(None);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if values.len() < N {
        return Err(Error::Arguments(usage));
    }
    let more = values.split_off(N);
    let values = values
        .try_into()
        .map_err(|_| Error::Arguments(usage))?;
    Ok(Some((values, more)))
}

/// Reads exactly `N` values, and options that may stand anywhere, each with a value or without;
/// else as [`values`].
pub(crate) fn with_options<const N: usize, const M: usize>(
    mut parser: Parser,
    usage: &'static str,
    options: [(&str, bool); M],
) -> Result<Option<WithOptions<N, M>>, Error> {
    let mut rest = Vec::new();
    let mut option_values = [const { Vec::new() }; M];
    while let Some(argument) = parser.next()? {
        let option = match &argument {
            Long(name) => {
                (options.iter().zip(&mut option_values)).find(|((option, _), _)| option == name)
            }
            _ => None,
        };
        match (argument, option) {
            (_, Some(((_, true), values))) => values.push(
                parser
                    .value()?
                    .into_string()
                    .map_err(lexopt::Error::from)?,
            ),
            (_, Some((_, values))) => values.push(String::new()),
            (Value(value), None) => rest.push(value),
            (Short('h') | Long("help"), None) => rest.push("--help".into()),
            (other, None) => return Err(other.unexpected().into()),
        }
    }
    let values = exactly(Parser::from_args(rest), usage)?;
    Ok(values.map(|values| (values, option_values)))
}

/// Reads exactly `N` values; else as [`values`].
pub(crate) fn exactly<const N: usize>(
    parser: Parser,
    usage: &'static str,
) -> Result<Option<[String; N]>, Error> {
    match values(parser, usage)? {
        Some((_, more)) if !more.is_empty() => Err(Error::Arguments(usage)),
        parsed => Ok(parsed.map(|(values, _)| values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<Option<[String; 2]>, Error> {
        exactly(Parser::from_args(arguments), "ONE TWO")
    }

    #[test]
    fn as_many_as_the_subcommand_takes() {
        let two = ["a".to_owned(), "b c".to_owned()];
        assert_eq!(given(&["a", "b c"]).unwrap(), Some(two.clone()));
        for wrong in [&["a"][..], &["a", "b", "c"], &["a", "--b"]] {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
        let parser = Parser::from_args(["a", "b c", "d"]);
        let (values, more) = values(parser, "ONE TWO ...")
            .unwrap()
            .unwrap();
        assert_eq!((values, more), (two, vec!["d".to_owned()]));
    }

    #[test]
    fn help_wins_over_whatever_is_missing() {
        for words in [&["--help"][..], &["a", "-h"]] {
            assert_eq!(given(words).unwrap(), None, "{words:?}");
        }
    }
}
