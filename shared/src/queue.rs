//! The queue of approved actions.
