//! The files of a crate, and their uses of one another.
//!
//! A file needs another one if it names an item of that file, in a `use` or in a path. A name that
//! a file passes on with `pub use` leads to its declaration. Methods, trait implementations and
//! names that a macro builds are not seen.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use tests::{files, is_test};

use super::tokens::{Use, declared, paths, tokens, uses};

/// The path of a module in its crate: empty for the root, `["key", "work"]` for `key/work.rs`.
type Module = Vec<String>;

/// Modules, and others of which each needs items.
type Needs<'a> = BTreeMap<&'a Module, BTreeSet<&'a Module>>;

/// The files of a crate, by their modules.
pub struct Sources(BTreeMap<Module, Source>);

struct Source {
    file: String,
    uses: Vec<Use>,
    /// The paths and single names of its code.
    paths: Vec<Vec<String>>,
    /// The names of its items.
    declared: BTreeSet<String>,
}

impl Sources {
    /// Reads the files of a crate, but for tests, and for programs beside a library.
    pub fn of(folder: &Path) -> Self {
        let is_library = folder.join("lib.rs").exists();
        let source = |path: PathBuf| {
            let file = path
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap();
            let module = file
                .strip_suffix(".rs")?
                .split('/')
                .map(str::to_owned);
            let mut module: Module = module.collect();
            let is_program = module[0] == "bin" || (is_library && module == ["main"]);
            if is_program || is_test(&path) {
                return None;
            }
            module.pop_if(|last| matches!(last.as_str(), "lib" | "main" | "mod"));
            let tokens = tokens(&fs::read_to_string(&path).unwrap());
            let source = Source {
                file: file.to_owned(),
                uses: uses(&tokens),
                paths: paths(&tokens),
                declared: declared(&tokens),
            };
            Some((module, source))
        };
        let files = files(folder, &[".rs"]).into_iter();
        Self(files.filter_map(source).collect())
    }

    /// The circles: their files, and the others of the circle that each of them needs.
    pub fn circles(&self) -> Vec<BTreeMap<String, Vec<String>>> {
        let modules = self.0.keys();
        let needs: Needs<'_> = modules
            .map(|module| (module, self.needs(module)))
            .collect();
        let reached: Needs<'_> = needs
            .keys()
            .map(|module| (*module, reached(module, &needs)))
            .collect();
        let circle = |module: &Module| -> BTreeSet<&Module> {
            let others = reached[module].iter().copied();
            others
                .filter(|other| reached[*other].contains(module))
                .collect()
        };
        let circles: BTreeSet<BTreeSet<&Module>> = self.0.keys().map(circle).collect();
        let file = |module: &Module| self.0[module].file.clone();
        let shown = |circle: &BTreeSet<&Module>| {
            let within = |module: &Module| {
                needs[module]
                    .intersection(circle)
                    .map(|other| file(other))
                    .collect()
            };
            circle
                .iter()
                .map(|module| (file(module), within(module)))
                .collect()
        };
        let circles = circles
            .iter()
            .filter(|circle| !circle.is_empty());
        circles.map(shown).collect()
    }

    /// Each file of a folder with its folder, and another folder of which it needs an item.
    pub fn needs_of_folders(&self) -> BTreeSet<(String, String, String)> {
        let mut of_folders = BTreeSet::new();
        for (module, source) in &self.0 {
            let Some(folder) = module.first() else {
                continue;
            };
            let needed = self.needs(module).into_iter();
            let others = needed
                .filter_map(|other| other.first())
                .filter(|other| *other != folder);
            of_folders
                .extend(others.map(|other| (source.file.clone(), folder.clone(), other.clone())));
        }
        of_folders
    }

    /// The other modules whose items a file names.
    fn needs(&self, module: &Module) -> BTreeSet<&Module> {
        let source = &self.0[module];
        let mut needs = BTreeSet::new();
        for used in &source.uses {
            // What is only passed on is needed by those that name it.
            if !used.is_public
                || source
                    .paths
                    .iter()
                    .any(|path| path[0] == used.name)
            {
                needs.extend(self.declaring(module, &used.path));
            }
        }
        for path in source
            .paths
            .iter()
            .filter(|path| path.len() > 1)
        {
            let imported = source
                .uses
                .iter()
                .find(|used| used.name == path[0]);
            match imported {
                Some(used) => {
                    needs.extend(self.declaring(module, &[&used.path, &path[1..]].concat()));
                }
                None => needs.extend(self.declaring(module, path)),
            }
        }
        needs.remove(module);
        needs
    }

    /// The module that declares the item of a path in a module's code, if this crate has it.
    fn declaring(&self, module: &Module, path: &[String]) -> Option<&Module> {
        let mut from = module.clone();
        let mut path = path;
        match path[0].as_str() {
            "crate" => {
                from.clear();
                path = &path[1..];
            }
            "self" => path = &path[1..],
            "super" => {
                while path
                    .first()
                    .is_some_and(|first| first == "super")
                {
                    from.pop();
                    path = &path[1..];
                }
            }
            child if self.child(&from, child).is_none() => return None,
            _ => {}
        }
        while let Some(child) = path
            .first()
            .and_then(|first| self.child(&from, first))
        {
            (from, path) = (child, &path[1..]);
        }
        let (target, source) = self.0.get_key_value(&from)?;
        let name = path.first()?;
        if source.declared.contains(name) {
            return Some(target);
        }
        // A private name is for the file itself and for those below it.
        let is_seen = |used: &&Use| used.is_public || module.starts_with(&from);
        let seen = source.uses.iter().filter(is_seen);
        if let Some(used) = seen
            .clone()
            .find(|used| used.name == *name)
        {
            return self.declaring(target, &used.path);
        }
        let through = |used: &Use| {
            let path = [&used.path[..], std::slice::from_ref(name)].concat();
            let declaring = self.declaring(target, &path)?;
            self.0[declaring]
                .declared
                .contains(name)
                .then_some(declaring)
        };
        let mut globs = seen.filter(|used| used.name == "*");
        globs.find_map(through).or(Some(target))
    }

    fn child(&self, module: &Module, name: &str) -> Option<Module> {
        let child = [&module[..], &[name.to_owned()]].concat();
        self.0
            .contains_key(&child)
            .then_some(child)
    }
}

/// The modules that one needs, directly or through others.
fn reached<'a>(module: &'a Module, needs: &Needs<'a>) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(module) = open.pop() {
        let needed = needs[module].iter().copied();
        open.extend(needed.filter(|needed| reached.insert(*needed)));
    }
    reached
}
