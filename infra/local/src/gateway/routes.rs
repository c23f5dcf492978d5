//! Routes of requests to functions.

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
    /// Route key, as in the template.
    pub(super) key: &'a str,
    /// Path parameters by name, still encoded.
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
                RouteKey::Path(methods, path) => of_path
                    .entry(path)
                    .or_default()
                    .push(Target {
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

    /// Returns the route of a request. A literal segment takes precedence over a parameter, and a
    /// method over `ANY`; `$default` matches all other requests.
    pub(super) fn find(&self, method: &Method, path: &str) -> Option<Found<'_>> {
        if let Ok(matched) = self.paths.at(path) {
            let of = |wanted: &Methods| {
                matched
                    .value
                    .iter()
                    .find(|target| target.methods == *wanted)
            };
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
