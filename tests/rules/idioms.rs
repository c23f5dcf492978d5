//! Idioms of the code: one binding a line, imports by name, one meaning for each type name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use tests::{files, is_test, path};

use crate::circles::crates;

/// The most bindings of a tuple to a tuple, such as `let (a, b) = (b, a);`.
const MOST_TUPLE_BINDINGS: usize = 60;

/// The most tables of data that rustfmt leaves alone.
const MOST_SKIPS: usize = 8;

/// The last column of a comment.
const LAST_COLUMN: usize = 100;

/// The most comments beyond that column: rows of tables, and links. The number may only fall.
const MOST_LONG_COMMENTS: usize = 12;

/// The one prelude: the names that handlers use.
const PRELUDE: &str = "endpoint::*";

/// The other import of everything: the type of each permission.
const PERMISSIONS: &str = "pub use model::people::need::*;";

/// The most names of the prelude.
const MOST_NAMES: usize = 40;

/// The folder whose root shows all items of its files: each kind of record has its keys there.
const KEYS: &str = "shared/store/src/key/mod.rs";

/// The most methods of a type. A type with more has groups of fields that are types of their own.
const MOST_METHODS: usize = 40;

/// Handles of the table: each method is an access, and none has fields in common. The numbers may
/// only fall.
const HANDLES: [(&str, usize); 2] = [("Agent", 75), ("Store", 53)];

/// Returns all files of the code with their texts.
pub fn sources() -> Vec<(PathBuf, String)> {
    let folders = ["functions", "shared", "infra", "tests"];
    let files = folders
        .iter()
        .flat_map(|folder| files(&path(folder), &[".rs"]));
    files
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            (file, text)
        })
        .collect()
}

/// Returns the file and the line in the form of a compiler.
fn place(file: &Path, line: usize) -> String {
    let file = file.strip_prefix(path("")).unwrap();
    format!("{}:{}", file.display(), line + 1)
}

#[test]
fn a_tuple_is_bound_to_a_tuple_only_if_its_values_belong_together() {
    let mut bindings = 0;
    let mut files = Vec::new();
    for (file, text) in sources() {
        let in_file = tuple_bindings(text.parse().unwrap());
        bindings += in_file;
        if in_file > 0 {
            files.push(format!("{} in {}", in_file, file.display()));
        }
    }
    assert!(
        bindings <= MOST_TUPLE_BINDINGS,
        "{bindings} bindings of a tuple to a tuple; at most {MOST_TUPLE_BINDINGS}. Bind one value a \
         line:\n{}",
        files.join("\n")
    );
}

#[test]
fn tuple_bindings_are_counted_at_each_depth() {
    let text = "fn swap() { let (a, b) = (b, a); if a { let (c, d): (u8, u8) = (1, 2); } }";
    assert_eq!(tuple_bindings(text.parse().unwrap()), 2);
    let text = "fn read() { let (a, b) = pair(); let (c, d) = (e).f(); let c = (1, 2); }";
    assert_eq!(tuple_bindings(text.parse().unwrap()), 0);
}

/// Counts `let (…) = (…);`, with or without a type, at each depth.
fn tuple_bindings(stream: TokenStream) -> usize {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut bindings = 0;
    for (index, tree) in trees.iter().enumerate() {
        if let TokenTree::Group(group) = tree {
            bindings += tuple_bindings(group.stream());
        }
        let is_let = matches!(tree, TokenTree::Ident(word) if word == "let");
        if !is_let || !is_tuple(trees.get(index + 1)) {
            continue;
        }
        let mut value = index + 2;
        if is_sign(trees.get(value), ':') {
            value += 2;
        }
        let is_bound = is_sign(trees.get(value), '=')
            && is_tuple(trees.get(value + 1))
            && is_sign(trees.get(value + 2), ';');
        bindings += usize::from(is_bound);
    }
    bindings
}

fn is_tuple(tree: Option<&TokenTree>) -> bool {
    matches!(tree, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

fn is_sign(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

#[test]
fn no_type_has_many_methods() {
    let mut methods: BTreeMap<(PathBuf, String), usize> = BTreeMap::new();
    for folder in crates() {
        for file in files(&folder.join("src"), &[".rs"]) {
            if is_test(&file) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for (name, number) in inherent_methods(text.parse().unwrap()) {
                *methods
                    .entry((folder.clone(), name))
                    .or_default() += number;
            }
        }
    }
    let many: Vec<_> = methods
        .iter()
        .filter(|((_, name), number)| {
            let handle = HANDLES
                .iter()
                .find(|(handle, _)| handle == name);
            **number > handle.map_or(MOST_METHODS, |(_, most)| *most)
        })
        .collect();
    assert!(methods.len() > 500, "{}", methods.len());
    assert!(
        many.is_empty(),
        "types with more than {MOST_METHODS} methods: {many:?}"
    );
}

#[test]
fn methods_are_counted_by_their_type() {
    let text = "impl<A: Fn(u8)> a::Named<A> { fn one(&self) {} const fn two() { fn inner() {} } } \
                impl Clone for Named { fn clone(&self) {} } mod below { impl Other { fn one() {} } }";
    let counted = [("Named".to_owned(), 2), ("Other".to_owned(), 1)];
    assert_eq!(inherent_methods(text.parse().unwrap()), counted);
}

/// Returns the types of blocks of methods without a trait, with the number of methods in each.
fn inherent_methods(stream: TokenStream) -> Vec<(String, usize)> {
    let mut methods = Vec::new();
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        if let TokenTree::Group(group) = &tree {
            methods.extend(inherent_methods(group.stream()));
        }
        if !matches!(&tree, TokenTree::Ident(word) if word == "impl") {
            continue;
        }
        let mut name = None;
        let mut is_named = false;
        let mut depth = 0;
        let mut is_arrow = false;
        for tree in trees.by_ref() {
            let was_arrow = is_arrow;
            is_arrow = is_sign(Some(&tree), '-');
            match tree {
                TokenTree::Punct(sign) if sign.as_char() == '<' => depth += 1,
                TokenTree::Punct(sign) if sign.as_char() == '>' && !was_arrow => depth -= 1,
                TokenTree::Ident(word) if depth == 0 && word == "for" => break,
                TokenTree::Ident(word) if depth == 0 && word == "where" => is_named = true,
                TokenTree::Ident(word) if depth == 0 && !is_named => name = Some(word.to_string()),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let number = group
                        .stream()
                        .into_iter()
                        .filter(|tree| matches!(tree, TokenTree::Ident(word) if word == "fn"))
                        .count();
                    methods.extend(name.take().map(|name| (name, number)));
                    break;
                }
                _ => {}
            }
        }
    }
    methods
}

#[test]
fn rustfmt_leaves_few_tables_alone() {
    let attribute = ["#[rustfmt", "::skip]"].concat();
    let mut skips = Vec::new();
    for (file, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if line
                .trim_start()
                .starts_with(&attribute)
            {
                skips.push(place(&file, number));
            }
        }
    }
    assert!(skips.len() <= MOST_SKIPS, "{}", skips.join("\n"));
}

#[test]
fn comments_end_at_the_last_column() {
    let mut long = Vec::new();
    for (file, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if is_comment && line.chars().count() > LAST_COLUMN {
                long.push(place(&file, number));
            }
        }
    }
    assert!(
        long.len() <= MOST_LONG_COMMENTS,
        "{} longer comments; at most {MOST_LONG_COMMENTS}:\n{}",
        long.len(),
        long.join("\n")
    );
}

#[test]
fn a_file_imports_by_name() {
    let mut stars = Vec::new();
    for (file, text) in sources() {
        for (number, import) in imports(&text) {
            let import = import.as_str();
            // The tests of a file may take what they test.
            let is_test = is_test(&file) || import.starts_with(' ');
            let own = ["super::", "crate::", "self::"];
            let path = import
                .split_once("use ")
                .map_or("", |(_, path)| path);
            let is_own = own
                .iter()
                .any(|root| path.starts_with(root));
            let is_tested = is_test && is_own;
            let shows_files = file.ends_with(KEYS) && path.starts_with("self::");
            let is_known = path.contains(PRELUDE) || import == PERMISSIONS || shows_files;
            if import.contains('*') && !is_tested && !is_known {
                stars.push(place(&file, number));
            }
        }
    }
    assert!(
        stars.is_empty(),
        "imports of everything; name what the file uses, or take {PRELUDE}:\n{}",
        stars.join("\n")
    );
}

#[test]
fn an_import_of_several_lines_is_one() {
    let text = "pub(crate) use a::{\n    b::*,\n};\n    use super::*;\nlet used = 2 * 3;\n";
    let expected = [
        (0, "pub(crate) use a::{    b::*,};".to_owned()),
        (3, "    use super::*;".to_owned()),
    ];
    assert_eq!(imports(text), expected);
}

/// Returns the line of each import, and its text without the ends of lines.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut imports: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let begins = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "]
            .iter()
            .any(|word| code.starts_with(word));
        if begins {
            imports.push((number, String::new()));
            is_open = true;
        }
        if let Some((_, import)) = imports.last_mut().filter(|_| is_open) {
            import.push_str(line);
            is_open = !line.ends_with(';');
        }
    }
    imports
}

#[test]
fn the_prelude_of_handlers_is_short() {
    let text = fs::read_to_string(path("shared/src/endpoint.rs")).unwrap();
    let words = text
        .lines()
        .filter(|line| !line.starts_with("//"))
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    let modules = [
        "", "pub", "use", "axum", "extract", "model", "base", "refusal", "serde", "store",
        "utoipa", "crate", "auth", "self", "http",
    ];
    let names: BTreeSet<&str> = words
        .filter(|word| !modules.contains(word))
        .collect();
    assert!(names.len() <= MOST_NAMES, "{}: {names:?}", names.len());
}

#[test]
fn a_public_type_has_a_name_of_its_own() {
    let mut places = BTreeMap::<String, Vec<String>>::new();
    let sources = sources();
    for (file, text) in sources
        .iter()
        .filter(|(file, _)| !is_test(file))
    {
        for (number, line) in text.lines().enumerate() {
            if let Some(name) = public_type(line) {
                let place = place(file, number);
                places
                    .entry(name.to_owned())
                    .or_default()
                    .push(place);
            }
        }
    }
    let repeated: Vec<String> = places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert!(repeated.is_empty(), "{}", repeated.join("\n"));
}

fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let name = kinds
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))?;
    let end = name.find(|letter: char| !letter.is_alphanumeric());
    Some(end.map_or(name, |end| &name[..end])).filter(|name| !name.is_empty())
}
