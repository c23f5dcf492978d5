use std::fmt;

use axum::{Router, handler::Handler as AxumHandler, routing::MethodRouter};
use model::base::input::camel_case;
use utoipa::openapi::{
    HttpMethod, OpenApi, PathsBuilder,
    path::{OperationBuilder, PathItem},
};
use utoipa_axum::{
    PathItemExt,
    router::{OpenApiRouter, UtoipaMethodRouter},
};

use super::operation::{Description, Handler, operations_of};

/// The routes of a function. Serving them builds no part of the document: the schemas of thirty
/// operations are megabytes, which each cold start would build and throw away.
#[derive(Debug)]
pub struct Routes<S = ()> {
    tag: &'static str,
    endpoints: Vec<Endpoint<S>>,
    pages: Vec<(&'static str, MethodRouter<S>)>,
}

/// An operation of a function; use [`operation!`](crate::operation!).
pub struct Endpoint<S> {
    /// The route that `#[utoipa::path]` declares.
    route: UtoipaMethodRouter<S>,
    /// Adds the description that follows from the types of the handler.
    describe: fn(&mut Description),
}

impl<S> Endpoint<S> {
    #[doc(hidden)]
    pub const fn new(route: UtoipaMethodRouter<S>, describe: fn(&mut Description)) -> Self {
        Self { route, describe }
    }
}

impl<S: Clone + Send + Sync + 'static> Endpoint<S> {
    /// Returns an operation of a handler that several types of records share. `about` is its text,
    /// as a doc comment has it.
    pub(crate) fn described<H, T, A>(
        method: HttpMethod,
        path: &str,
        id: String,
        about: &str,
        handler: H,
    ) -> Self
    where
        H: AxumHandler<T, S> + Handler<A>,
        T: 'static,
    {
        let (summary, description) = about
            .split_once("\n\n")
            .unwrap_or((about, ""));
        let operation = OperationBuilder::new()
            .operation_id(Some(id))
            .summary(Some(summary))
            .description(Some(description));
        let router = MethodRouter::new().on(method.to_method_filter(), handler);
        let paths = PathsBuilder::new().path(path, PathItem::new(method, operation));
        let route = (Vec::new(), paths.build(), router);
        Self::new(route, <H as Handler<A>>::describe)
    }
}

impl<S> fmt::Debug for Endpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, paths, _) = &self.route;
        f.debug_set()
            .entries(paths.paths.keys())
            .finish()
    }
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    pub fn new(tag: &'static str, endpoints: impl IntoIterator<Item = Endpoint<S>>) -> Self {
        Self {
            tag,
            endpoints: endpoints.into_iter().collect(),
            pages: Vec::new(),
        }
    }

    #[must_use]
    pub fn and(mut self, endpoints: impl IntoIterator<Item = Endpoint<S>>) -> Self {
        self.endpoints.extend(endpoints);
        self
    }

    /// Adds a page, which the document does not list.
    #[must_use]
    pub fn page(mut self, path: &'static str, page: MethodRouter<S>) -> Self {
        self.pages.push((path, page));
        self
    }

    pub fn into_router(self) -> Router<S> {
        let mut router = Router::new();
        for (path, page) in self.pages {
            router = router.route(path, page);
        }
        for Endpoint { route, .. } in self.endpoints {
            let (_, paths, methods) = route;
            for path in paths.paths.keys() {
                router = router.route(path, methods.clone());
            }
        }
        router
    }

    pub fn into_document(self) -> OpenApi {
        let mut router = OpenApiRouter::default();
        for Endpoint { route, describe } in self.endpoints {
            let (mut schemas, mut paths, methods) = route;
            for (path, item) in &mut paths.paths {
                for (method, operation) in operations_of(item) {
                    let name = operation
                        .operation_id
                        .take()
                        .unwrap_or_default();
                    operation.operation_id = Some(camel_case(&name));
                    let mut description = Description::begun(method, path, operation);
                    describe(&mut description);
                    let (described, more) = description.finish();
                    *operation = described;
                    operation.tags = Some(vec![self.tag.to_owned()]);
                    schemas.extend(more);
                }
            }
            router = router.routes((schemas, paths, methods));
        }
        router.into_openapi()
    }
}

/// An operation of a function, from a handler with `#[utoipa::path]`. Its id is the handler's name.
#[macro_export]
macro_rules! operation {
    ($($segment:ident)::+) => {
        $crate::http::Endpoint::new(
            $crate::utoipa_axum::routes!($($segment)::+),
            $crate::http::operation::description_of(&$($segment)::+),
        )
    };
}
