use store::base::Store;
use targets::Targets;

use crate::limits::WorkerLimits;

/// The table, the target systems, and the limits of their calls.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) store: Store,
    pub(crate) targets: Targets,
    pub(crate) limits: WorkerLimits,
}
