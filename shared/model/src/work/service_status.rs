//! The statuses of service requests and tickets.

use crate::{
    base::{Code, Error, OrOther, Timestamp, input::PatchField},
    names,
};

names! {
    /// The status of a service request or a ticket. `open`, `in_progress` and `pending`
    /// interchange; each may change to `resolved` or `closed`. `resolved` may change to `open` or
    /// `closed`; `closed` is final. `x-rules` has the next statuses of each as `transitions`, and
    /// those of ended work as `over`.
    #[derive(Default)]
    pub enum ServiceStatus = "a status" {
        Open = default: "Raised.",
        InProgress: "Being worked on.",
        Pending: "Waiting for the user who raised it.",
        Resolved: "Solved; may be opened again.",
        Closed: "Closed for good.",
    }
}

impl ServiceStatus {
    /// Returns true if this status may change to `next`, as the enum says. Each may stay as it is.
    pub fn may_become(self, next: Self) -> bool {
        use ServiceStatus::{Closed, InProgress, Open, Pending, Resolved};
        match self {
            Open | InProgress | Pending => true,
            Resolved => matches!(next, Resolved | Open | Closed),
            Closed => next == Closed,
        }
    }

    /// Returns true for `resolved` and `closed`, which count as a resolution.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Resolved | Self::Closed)
    }
}

impl OrOther<ServiceStatus> {
    /// Returns true if the record counts as a resolution. With an unknown status, its `resolved_at`
    /// tells.
    pub fn is_over(&self, resolved_at: Option<Timestamp>) -> bool {
        let is_over = self.known().map(ServiceStatus::is_over);
        is_over.unwrap_or(resolved_at.is_some())
    }

    /// Sets the status and `resolved_at`, the instant of the resolution. Returns the change of the
    /// resolution, if there is one: `resolved` and then `closed` is a single resolution. 409 when
    /// this status may not change to `next`. An unknown one may change to each.
    pub(crate) fn set(
        &mut self,
        next: ServiceStatus,
        resolved_at: &mut Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        if self
            .known()
            .is_some_and(|status| !status.may_become(next))
        {
            let detail = if *self == ServiceStatus::Closed {
                "The status `closed` is final."
            } else {
                "The status `resolved` may change to `open` or `closed` only."
            };
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        let was_over = self.is_over(*resolved_at);
        *self = next.into();
        Ok(match (was_over, next.is_over()) {
            (false, true) => {
                *resolved_at = Some(now);
                Some(Resolution::Made(now))
            }
            (true, false) => resolved_at
                .take()
                .map(Resolution::TakenBack),
            _ => None,
        })
    }

    /// As [`set`](Self::set), if a status was sent.
    pub(crate) fn change(
        &mut self,
        sent: PatchField<ServiceStatus>,
        resolved_at: &mut Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        match sent {
            PatchField::Keep => Ok(None),
            PatchField::Set(next) => self.set(next, resolved_at, now),
        }
    }

    /// Returns true if a message of the user who raised the record opens it again.
    pub const fn reopens_on_answer(&self) -> bool {
        use ServiceStatus::{Pending, Resolved};
        matches!(self, Self::Known(Pending | Resolved))
    }
}

/// A change of a resolution, for the count of resolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The record was resolved or closed at this instant.
    Made(Timestamp),
    /// The record, resolved at this instant, was opened again.
    TakenBack(Timestamp),
}

#[cfg(test)]
mod tests {
    use super::*;

    use ServiceStatus::{Closed, InProgress, Open, Pending, Resolved};

    const ALL: [ServiceStatus; 5] = [Open, InProgress, Pending, Resolved, Closed];

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn what_is_closed_stays_so_and_what_is_resolved_opens_or_closes() {
        for from in ALL {
            let reachable = ALL
                .into_iter()
                .filter(|next| from.may_become(*next));
            let reachable: Vec<_> = reachable.collect();
            match from {
                Open | InProgress | Pending => assert_eq!(reachable, ALL),
                Resolved => assert_eq!(reachable, [Open, Resolved, Closed]),
                Closed => assert_eq!(reachable, [Closed]),
            }
        }
    }

    #[test]
    fn a_refused_change_changes_nothing() {
        let mut status = OrOther::Known(Closed);
        let mut resolved_at = Some(at(1));
        let refused = status
            .set(Open, &mut resolved_at, at(2))
            .unwrap_err();
        let Error::Conflict { code, .. } = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!((status, resolved_at), (Closed.into(), Some(at(1))));
    }

    #[test]
    fn a_resolution_counts_once_and_from_when_it_was_made() {
        let mut status = OrOther::Known(Pending);
        let mut resolved_at = None;
        let mut set = |next, now| {
            status
                .set(next, &mut resolved_at, at(now))
                .unwrap()
        };
        assert_eq!(set(Pending, 1), None);
        assert_eq!(set(Resolved, 2), Some(Resolution::Made(at(2))));
        assert_eq!(set(Resolved, 3), None);
        assert_eq!(set(Open, 4), Some(Resolution::TakenBack(at(2))));
        assert_eq!(set(Resolved, 5), Some(Resolution::Made(at(5))));
        assert_eq!(set(Closed, 6), None);
        assert_eq!((status, resolved_at), (Closed.into(), Some(at(5))));
    }

    #[test]
    fn an_unknown_status_changes_to_each_and_keeps_its_resolution() {
        for next in ALL {
            for before in [None, Some(at(1))] {
                let mut status = OrOther::Other("parked".into());
                let mut resolved_at = before;
                let change = status
                    .set(next, &mut resolved_at, at(2))
                    .unwrap();
                let expected = match (before, next.is_over()) {
                    (None, true) => Some(Resolution::Made(at(2))),
                    (Some(made), false) => Some(Resolution::TakenBack(made)),
                    _ => None,
                };
                assert_eq!((status, change), (next.into(), expected));
                assert_eq!(resolved_at.is_some(), next.is_over());
            }
        }
    }
}
