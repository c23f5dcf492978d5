//! Which function a request is for.

use std::collections::BTreeMap;

use http::Method;
use matchit::{InsertError, Router};

use crate::template::{Methods, Route, RouteKey};

/// The routes of an API.
#[derive(Debug)]
pub(super) struct RouteTable {
    paths: Router<Vec<Target>>,
    default: Option<String>,
}

#[derive(Debug)]
struct Target {
    methods: Methods,
    key: String,
    function: String,
}

/// The route of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) function: &'a str,
    /// As the template writes it.
    pub(super) key: &'a str,
    /// What stands in the path for each of the route's names, still encoded.
    pub(super) parameters: Vec<(String, String)>,
}

impl RouteTable {
    pub(super) fn new(routes: &[Route]) -> Result<Self, InsertError> {
        let mut default = None;
        let mut of_path: BTreeMap<&str, Vec<Target>> = BTreeMap::new();
        for route in routes {
            let function = route.function.clone();
            match &route.key {
                RouteKey::Default => default = Some(function),
                RouteKey::Path(methods, path) => of_path.entry(path).or_default().push(Target {
                    methods: methods.clone(),
                    key: match methods {
                        Methods::Any => format!("ANY {path}"),
                        Methods::One(method) => format!("{method} {path}"),
                    },
                    function,
                }),
            }
        }
        let mut paths = Router::new();
        for (path, targets) in of_path {
            paths.insert(path, targets)?;
        }
        Ok(Self { paths, default })
    }

    /// The route of a request: a literal segment wins over a name, a method over any, and
    /// `$default` takes what is left.
    pub(super) fn find(&self, method: &Method, path: &str) -> Option<Found<'_>> {
        if let Ok(matched) = self.paths.at(path) {
            let of = |wanted: &Methods| matched.value.iter().find(|one| one.methods == *wanted);
            if let Some(target) = of(&Methods::One(method.clone())).or_else(|| of(&Methods::Any)) {
                return Some(Found {
                    function: &target.function,
                    key: &target.key,
                    parameters: matched
                        .params
                        .iter()
                        .map(|(name, value)| (name.to_owned(), value.to_owned()))
                        .collect(),
                });
            }
        }
        Some(Found {
            function: self.default.as_deref()?,
            key: "$default",
            parameters: Vec::new(),
        })
    }
}
