//! `GET /desk/{file}`: the modules of the desk

use tests::support::Api;

use super::named;

/// The page names the modules of its start, and a browser loads these at once. A view is loaded
/// when it is opened.
#[tokio::test]
async fn modules_import_what_is_served() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let page = nobody.get("/").await;
    let modules = named(&page, "rel=\"modulepreload\" href=\"desk/");
    let mut counts = Vec::new();
    for specifiers in [&SPECIFIERS[..2], &SPECIFIERS] {
        let mut module_names = named(&page, "type=\"module\" src=\"desk/");
        let mut open: Vec<String> = module_names.iter().cloned().collect();
        while let Some(name) = open.pop() {
            let answer = nobody
                .get(&format!("/desk/{name}"))
                .await;
            assert_eq!(answer.status, 200, "{name}");
            for imported in imports(&answer.text, specifiers) {
                if module_names.insert(imported.clone()) {
                    open.push(imported);
                }
            }
        }
        counts.push(module_names.len());
        if specifiers.len() == 2 {
            assert_eq!(module_names, modules);
        }
    }
    assert!(counts[0] < counts[1], "{counts:?}");
}

/// Beginnings of an import; the last one loads a module later.
const SPECIFIERS: [&str; 3] = ["from \"./", "import \"./", "import(\"./"];

/// The names of the modules that a module imports.
fn imports(module: &str, specifiers: &[&str]) -> Vec<String> {
    let (first, rest) = module
        .split_once("/**")
        .unwrap_or((module, ""));
    let after_comments = rest
        .split("/**")
        .filter_map(|part| part.split_once("*/"));
    let parts = std::iter::once(first).chain(after_comments.map(|(_, code)| code));
    let lines = parts.flat_map(str::lines);
    let code: String = lines
        .filter(|line| !is_comment(line))
        .collect();
    let named = specifiers.iter().map(|before| {
        let places = code.split(before).skip(1);
        let names = places.map(|rest| {
            rest.split_once('"')
                .unwrap()
                .0
                .to_owned()
        });
        names.collect::<Vec<String>>()
    });
    named.flatten().collect()
}

/// Returns true for a line of a comment: it may name types of files that are not served.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}
