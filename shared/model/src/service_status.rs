//! Where service requests and tickets stand, and how they go on from there.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Code, Error, Timestamp};

/// Where a service request or a ticket stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServiceStatus {
    /// Raised.
    #[default]
    Open,
    /// Being worked on.
    InProgress,
    /// Waiting for the one who raised it.
    Pending,
    /// Answered; may be opened again.
    Resolved,
    /// Over for good.
    Closed,
}

impl ServiceStatus {
    /// Whether a request or ticket may go from here to there. The first three interchange, each
    /// may be resolved or closed, a resolved one may be opened or closed, and closed is final.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        use ServiceStatus::{Closed, InProgress, Open, Pending, Resolved};
        match self {
            Open | InProgress | Pending => true,
            Resolved => matches!(next, Resolved | Open | Closed),
            Closed => next == Closed,
        }
    }

    /// Whether it is over, for good or until somebody opens it again: what counts as a resolution.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Resolved | Self::Closed)
    }

    /// Goes on to `next`, and answers what becomes of the resolution, whose instant `resolved_at`
    /// keeps. What is resolved and then closed was resolved when it was resolved; to stay as it is
    /// changes nothing. 409 when `next` is out of reach from here.
    pub(crate) fn turn(
        &mut self,
        next: Self,
        resolved_at: &mut Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        if !self.may_become(next) {
            let detail = match self {
                Self::Closed => "It is closed, which is final.",
                _ => "What is resolved may become open or closed.",
            };
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        let was_over = std::mem::replace(self, next).is_over();
        Ok(match (was_over, next.is_over()) {
            (false, true) => {
                *resolved_at = Some(now);
                Some(Resolution::Made(now))
            }
            (true, false) => resolved_at.take().map(Resolution::TakenBack),
            _ => None,
        })
    }

    /// Whether a word from the other side opens it again.
    #[must_use]
    pub const fn reopens_on_answer(self) -> bool {
        matches!(self, Self::Pending | Self::Resolved)
    }
}

/// What becomes of a resolution when a status changes, for the count of resolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It was resolved or closed, at that instant.
    Made(Timestamp),
    /// What was resolved at that instant is open again.
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
            let reachable: Vec<_> = ALL
                .into_iter()
                .filter(|next| from.may_become(*next))
                .collect();
            match from {
                Open | InProgress | Pending => assert_eq!(reachable, ALL),
                Resolved => assert_eq!(reachable, [Open, Resolved, Closed]),
                Closed => assert_eq!(reachable, [Closed]),
            }
        }
    }

    #[test]
    fn a_refused_change_changes_nothing() {
        let (mut status, mut resolved_at) = (Closed, Some(at(1)));
        let refused = status.turn(Open, &mut resolved_at, at(2)).unwrap_err();
        assert!(matches!(
            refused,
            Error::Conflict {
                code: Code::InvalidTransition,
                ..
            }
        ));
        assert_eq!((status, resolved_at), (Closed, Some(at(1))));
    }

    #[test]
    fn a_resolution_counts_once_and_from_when_it_was_made() {
        let (mut status, mut resolved_at) = (Pending, None);
        let mut turn = |next, now| status.turn(next, &mut resolved_at, at(now)).unwrap();
        assert_eq!(turn(Pending, 1), None);
        assert_eq!(turn(Resolved, 2), Some(Resolution::Made(at(2))));
        assert_eq!(turn(Resolved, 3), None);
        assert_eq!(turn(Open, 4), Some(Resolution::TakenBack(at(2))));
        assert_eq!(turn(Resolved, 5), Some(Resolution::Made(at(5))));
        assert_eq!(turn(Closed, 6), None);
        assert_eq!((status, resolved_at), (Closed, Some(at(5))));
    }
}
