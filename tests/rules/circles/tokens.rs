//! Just as much of Rust's syntax as `use`, paths and names of items take.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A name that a `use` brings.
pub struct Use {
    /// True if other files may name it as an item of this one.
    pub is_public: bool,
    /// The path that it stands for.
    pub path: Vec<String>,
    /// The name; `*` for all names of the path.
    pub name: String,
}

/// Words, `::` and other signs, without literals and items of `#[cfg(test)]`.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    flatten(text.parse().unwrap(), &mut tokens);
    tokens
}

fn flatten(trees: TokenStream, tokens: &mut Vec<String>) {
    let mut trees = trees.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
                };
                tokens.push(open.to_owned());
                flatten(group.stream(), tokens);
                tokens.push(close.to_owned());
            }
            TokenTree::Ident(word) => tokens.push(word.to_string()),
            TokenTree::Literal(_) => tokens.push("\"".to_owned()),
            TokenTree::Punct(sign) if sign.as_char() == ':' => {
                let is_path =
                    matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                if is_path {
                    trees.next();
                }
                tokens.push(if is_path { "::" } else { ":" }.to_owned());
            }
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let attribute = trees.peek().map(ToString::to_string);
                if attribute.is_some_and(|attribute| attribute.replace(' ', "") == "[cfg(test)]") {
                    // The item ends with its braces or its semicolon.
                    trees.find(|tree| match tree {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        TokenTree::Punct(sign) => sign.as_char() == ';',
                        _ => false,
                    });
                }
            }
            TokenTree::Punct(sign) => tokens.push(sign.as_char().to_string()),
        }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The names that all `use` of a file bring.
pub fn uses(tokens: &[String]) -> Vec<Use> {
    let mut uses = Vec::new();
    for (at, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| *token == "use")
    {
        let is_public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
        let mut rest = &tokens[at + 1..];
        tree(&mut rest, &[], &mut |path, name| {
            uses.push(Use {
                is_public,
                path,
                name,
            });
        });
    }
    uses
}

/// Reads one tree of a `use`: `a::b`, `a as b`, `a::{b, c}` or `a::*`.
fn tree(rest: &mut &[String], before: &[String], report: &mut impl FnMut(Vec<String>, String)) {
    let mut path = before.to_vec();
    loop {
        let (token, behind) = rest.split_first().unwrap();
        *rest = behind;
        match token.as_str() {
            // Another crate's path.
            "::" if path.is_empty() => path.push("::".to_owned()),
            "::" => {}
            "*" => return report(path, "*".to_owned()),
            "{" => {
                while rest[0] != "}" {
                    tree(rest, &path, report);
                    if rest[0] == "," {
                        *rest = &rest[1..];
                    }
                }
                *rest = &rest[1..];
                return;
            }
            "self" if !before.is_empty() => return end(rest, path, report),
            word => {
                path.push(word.to_owned());
                if rest[0] != "::" {
                    return end(rest, path, report);
                }
            }
        }
    }
}

/// Ends a tree with its name, or with the one of its `as`.
fn end(rest: &mut &[String], path: Vec<String>, report: &mut impl FnMut(Vec<String>, String)) {
    let mut name = path.last().unwrap().clone();
    if rest[0] == "as" {
        name.clone_from(&rest[1]);
        *rest = &rest[2..];
    }
    report(path, name);
}

/// The paths and single names of the code, but for those of `use`.
pub fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            at += tokens[at..]
                .iter()
                .position(|token| token == ";")
                .unwrap_or(1);
        }
        let is_start = is_word(&tokens[at])
            && (at == 0 || !matches!(tokens[at - 1].as_str(), "::" | "." | "mod"));
        if is_start {
            let mut path = vec![tokens[at].clone()];
            while at + 2 < tokens.len() && tokens[at + 1] == "::" && is_word(&tokens[at + 2]) {
                path.push(tokens[at + 2].clone());
                at += 2;
            }
            paths.push(path);
        }
        at += 1;
    }
    paths
}

/// The names of the items of a file.
pub fn declared(tokens: &[String]) -> BTreeSet<String> {
    let kinds = [
        "fn", "struct", "enum", "trait", "type", "const", "static", "union",
    ];
    let declares = |pair: &&[String]| kinds.contains(&pair[0].as_str()) && is_word(&pair[1]);
    let items = tokens.windows(2).filter(declares);
    let items = items.map(|pair| pair[1].clone());
    let is_macro = |three: &&[String]| three[0] == "macro_rules" && three[1] == "!";
    let macros = tokens.windows(3).filter(is_macro);
    let macros = macros.map(|three| three[2].clone());
    items.chain(macros).collect()
}
