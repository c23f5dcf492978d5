//! Counts the requests that reach the table, and how many of them had to wait for one another.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents,
        interceptors::{BeforeSerializationInterceptorContextRef, FinalizerInterceptorContextRef},
    },
    error::BoxError,
};
use aws_smithy_types::config_bag::{Storable, StoreReplace};

use super::roles;

/// An interceptor of the SDK's client: it sees every request, whoever sends it.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    total: Arc<AtomicUsize>,
    depth: Arc<Mutex<usize>>,
    at_once: Arc<AtomicUsize>,
    /// The function whose client it is, where the gateway does not tell.
    function: Option<&'static str>,
}

/// Table requests since the counter was taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Requests one after another: the longest chain in which each began after the one before it
    /// had ended.
    pub in_sequence: usize,
    /// Requests in all.
    pub total: usize,
}

/// Where in a chain a request stands.
#[derive(Debug)]
struct Place(usize);

impl Storable for Place {
    type Storer = StoreReplace<Self>;
}

impl Counter {
    /// The counter of a function's own client, under that function's role.
    pub fn of(function: &'static str) -> Self {
        Self {
            function: Some(function),
            ..Self::default()
        }
    }

    /// Returns the number of requests since the last [`take`](Self::take) that began before any had
    /// ended.
    pub fn at_once(&self) -> usize {
        self.at_once.load(Ordering::SeqCst)
    }

    /// Returns the requests since the last call, and starts at zero again.
    pub fn take(&self) -> Used {
        self.at_once.store(0, Ordering::SeqCst);
        Used {
            in_sequence: std::mem::take(&mut *self.depth.lock().unwrap()),
            total: self.total.swap(0, Ordering::SeqCst),
        }
    }
}

impl Intercept for Counter {
    fn name(&self) -> &'static str {
        "Counter"
    }

    fn read_before_execution(
        &self,
        request: &BeforeSerializationInterceptorContextRef<'_>,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        roles::check(request, self.function)?;
        self.total
            .fetch_add(1, Ordering::SeqCst);
        let place = Place(*self.depth.lock().unwrap() + 1);
        if place.0 == 1 {
            self.at_once
                .fetch_add(1, Ordering::SeqCst);
        }
        config
            .interceptor_state()
            .store_put(place);
        Ok(())
    }

    fn read_after_execution(
        &self,
        _: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let place = config
            .load::<Place>()
            .map_or(0, |place| place.0);
        let mut depth = self.depth.lock().unwrap();
        *depth = place.max(*depth);
        Ok(())
    }
}
