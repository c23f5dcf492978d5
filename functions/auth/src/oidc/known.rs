//! The cache of providers' discovery documents and keys.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use openidconnect::core::CoreProviderMetadata;
use shared::endpoint::*;

/// Cache lifetime of a provider's discovery document and keys.
const KEPT: Duration = Duration::from_hours(1);

/// The most cached providers. At this number, the cache is cleared.
const MOST_KEPT: usize = 1_000;

/// Discovery documents and keys by issuer. Clones share them.
#[derive(Clone, Default)]
pub struct KnownProviders(Arc<Mutex<HashMap<String, (Stopwatch, CoreProviderMetadata)>>>);

impl KnownProviders {
    pub(super) fn get(&self, issuer: &str) -> Option<CoreProviderMetadata> {
        // A panic under the lock leaves no partial change.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, (since, _)| since.elapsed() < KEPT);
        all.get(issuer).map(|(_, metadata)| metadata.clone())
    }

    pub(super) fn keep(&self, metadata: &CoreProviderMetadata) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_KEPT {
            all.clear();
        }
        let issuer = metadata.issuer().to_string();
        all.insert(issuer, (Stopwatch::start(), metadata.clone()));
    }
}

impl fmt::Debug for KnownProviders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownProviders").finish_non_exhaustive()
    }
}
