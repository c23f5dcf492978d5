//! The desk: every file of its folder under a flat name. All names share one digest, since modules
//! may import each other in a circle.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Component, Path, PathBuf},
};

use super::packed::{self, Packed, digest, write_table};

/// The folder with the sources.
const FOLDER: &str = "desk";

/// The page itself, which names files as `desk/…`.
const PAGE: &str = "index.html";

/// The script that the page starts.
const SCRIPT: &str = "desk.js";

/// Beginnings of the place of a path, by the file's extension.
const BEFORE: [(&str, &[&str]); 3] = [
    ("html", &["href=\"", "src=\""]),
    ("js", &["from \"", "import \"", "import(\""]),
    ("css", &["url(\"", "@import \""]),
];

/// Writes the page and its files. Beside them, writes the files of the desk `before`: a tab that
/// was open during the deployment still loads views of its own release.
pub fn pack(folder: &Path, before: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let mut desk = Desk::read(Path::new(FOLDER))?;
    let page = desk
        .sources
        .remove(Path::new(PAGE))
        .ok_or("no page")?;
    let (mut packed, served) = desk.pack(folder)?;
    let page = desk.with_served_names(Path::new(PAGE), &page)?;
    let page = page.replacen("  </head>", &(desk.preloads(&served) + "  </head>"), 1);
    let page_digest = digest(&[page.as_bytes()]);
    println!("cargo::rustc-env=DESK_DIGEST={page_digest}");
    fs::write(folder.join("desk.html"), page)?;
    if let Some(before) = before {
        let mut last = Desk::read(before)?;
        last.sources.remove(Path::new(PAGE));
        if last.digest() != desk.digest() {
            packed.extend(last.pack(folder)?.0);
        }
    }
    write_table(folder, "desk.rs", &packed)
}

/// Reads all files below a folder, by their paths below the desk's.
fn read(
    folder: &Path,
    desk: &Path,
    sources: &mut BTreeMap<PathBuf, String>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, desk, sources)?;
        } else {
            let content = fs::read_to_string(&path)?;
            sources.insert(path.strip_prefix(desk)?.to_owned(), content);
        }
    }
    Ok(())
}

/// The name of a file without its folders: `views-tasks-tasks.js`.
fn flat(path: &Path) -> String {
    path.to_string_lossy()
        .replace(['/', '\\'], "-")
}

/// The files of a release, by their paths.
struct Desk {
    sources: BTreeMap<PathBuf, String>,
}

/// Files as they are served, and their contents by the names.
type Files = (Vec<Packed>, BTreeMap<String, String>);

impl Desk {
    fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut sources = BTreeMap::new();
        read(folder, folder, &mut sources)?;
        Ok(Self { sources })
    }

    /// The digest of all files but the page, which their names share.
    fn digest(&self) -> String {
        let names = self.sources.keys();
        let names = names.map(|path| path.as_os_str().as_encoded_bytes());
        let contents = self
            .sources
            .values()
            .map(String::as_bytes);
        let hashed_parts: Vec<&[u8]> = names.chain(contents).collect();
        digest(&hashed_parts)
    }

    /// Writes the files, under the names by which they are served.
    fn pack(&self, folder: &Path) -> Result<Files, Box<dyn Error>> {
        let digest = self.digest();
        let mut packed = Vec::new();
        let mut served = BTreeMap::new();
        for (path, content) in &self.sources {
            let content = self.with_served_names(path, content)?;
            packed.push(packed::pack(
                folder,
                &flat(path),
                &digest,
                content.as_bytes(),
            )?);
            served.insert(self.served(path), content);
        }
        Ok((packed, served))
    }

    /// The name under which a file is served.
    fn served(&self, path: &Path) -> String {
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy();
        let stem = flat(&path.with_extension(""));
        format!("{stem}.{}.{extension}", self.digest())
    }

    /// Replaces the paths of other files by the names under which they are served, and drops the
    /// comments of scripts. Their lines stay, so that an error names the line of the source.
    fn with_served_names(&self, path: &Path, content: &str) -> Result<String, Box<dyn Error>> {
        let extension = path.extension().unwrap_or_default();
        let entry = BEFORE
            .iter()
            .find(|(of, _)| extension == *of);
        let Some((_, before)) = entry else {
            return Ok(content.to_owned());
        };
        let mut text = String::new();
        let mut rest = content;
        while let Some((code, comment)) = rest.split_once("/**") {
            text += &self.of_code(path, before, code)?;
            let (comment, after) = comment
                .split_once("*/")
                .ok_or("an open comment")?;
            text += &"\n".repeat(comment.matches('\n').count());
            rest = after;
        }
        text += &self.of_code(path, before, rest)?;
        Ok(text)
    }

    fn of_code(&self, path: &Path, before: &[&str], code: &str) -> Result<String, Box<dyn Error>> {
        let mut text = String::new();
        for line in code.split_inclusive('\n') {
            let is_comment = line.trim_start().starts_with("//");
            let before = if is_comment { &[] } else { before };
            text += &self.of_line(path, before, line)?;
        }
        Ok(text)
    }

    fn of_line(&self, path: &Path, before: &[&str], line: &str) -> Result<String, Box<dyn Error>> {
        let mut line = line.to_owned();
        for before in before {
            let mut parts = line.split(before);
            let mut text = parts
                .next()
                .unwrap_or_default()
                .to_owned();
            for part in parts {
                text += before;
                match part.split_once('"') {
                    Some((named, after)) => {
                        text.extend([&*self.resolved(path, named)?, "\"", after]);
                    }
                    None => text += part,
                }
            }
            line = text;
        }
        Ok(line)
    }

    /// The served name of a file that another one names; the name itself where it leads elsewhere.
    /// An error for a file that is not there.
    fn resolved(&self, path: &Path, named: &str) -> Result<String, Box<dyn Error>> {
        let is_page = path == Path::new(PAGE);
        let (target, folder) = match named.strip_prefix("desk/") {
            Some(below) if is_page => (PathBuf::from(below), "desk/"),
            None if named.starts_with('.') && !is_page => (beside(path, named), "./"),
            _ => return Ok(named.to_owned()),
        };
        if self.sources.contains_key(&target) {
            return Ok(format!("{folder}{}", self.served(&target)));
        }
        let path = path.display();
        let target = target.display();
        Err(format!("{FOLDER}/{path} names {named:?}, but {FOLDER}/{target} is not there").into())
    }

    /// Lines of the page, one for each module that starts it: a browser loads these at once, and a
    /// view when it is opened.
    fn preloads(&self, served: &BTreeMap<String, String>) -> String {
        let mut modules = vec![self.served(Path::new(SCRIPT))];
        let mut at = 0;
        while let Some(content) = modules
            .get(at)
            .and_then(|name| served.get(name))
        {
            // Paths in comments have no digest.
            let paths = content.split("from \"./").skip(1);
            let names = paths.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
            let served_names = names.filter(|name| served.contains_key(name));
            for name in served_names.collect::<Vec<_>>() {
                if !modules.contains(&name) {
                    modules.push(name);
                }
            }
            at += 1;
        }
        let line = |name| format!("    <link rel=\"modulepreload\" href=\"desk/{name}\">\n");
        modules.into_iter().map(line).collect()
    }
}

/// The path that a relative path leads to from beside a file.
fn beside(path: &Path, relative: &str) -> PathBuf {
    let mut joined = path
        .parent()
        .unwrap_or(Path::new(""))
        .to_owned();
    for part in Path::new(relative).components() {
        match part {
            // A path out of the folder is found missing.
            Component::ParentDir if !joined.pop() => joined.push(".."),
            Component::Normal(name) => joined.push(name),
            _ => {}
        }
    }
    joined
}
