//! The kinds of faults.

use strum::VariantArray;

/// A kind of fault. The table of results lists them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, VariantArray)]
pub enum Kind {
    Throttling,
    Conflict,
    Broken,
    LostAnswer,
    Slow,
    Unprocessed,
    Stale,
    Killed,
    WorkerKilled,
    QueueDown,
    Twice,
    Late,
    Never,
    Poisoned,
    TargetRefuses,
    TargetHangs,
    TargetGarbage,
    TargetDrops,
    TargetRedirects,
    TargetReplays,
    Clock,
    Kms,
    DiskFull,
    ClientTwiceWithKey,
    ClientTwiceWithoutKey,
}

impl Kind {
    /// The kind, for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Throttling => "the table is out of capacity",
            Self::Conflict => "another transaction is in the way",
            Self::Broken => "the table answers 500",
            Self::LostAnswer => "the table's answer is lost after the commit",
            Self::Slow => "the table answers late",
            Self::Unprocessed => "the table leaves keys of a batch unread",
            Self::Stale => "an index is answered as of some moments ago",
            Self::Killed => "a function is killed before, between or after its requests",
            Self::WorkerKilled => "a worker is killed between a call and the record of its answer",
            Self::QueueDown => "the queue is down",
            Self::Twice => "a message is delivered twice",
            Self::Late => "a message is delivered late",
            Self::Never => "a message is never delivered",
            Self::Poisoned => "a poisoned message lies in the queue",
            Self::TargetRefuses => "the target system refuses",
            Self::TargetHangs => "the target system hangs",
            Self::TargetGarbage => "the target system answers garbage",
            Self::TargetDrops => "the target system commits and drops the answer",
            Self::TargetRedirects => "the target system redirects",
            Self::TargetReplays => "the target system replays a stored failure",
            Self::Clock => "an instance's clock is two minutes off",
            Self::Kms => "a cold start without the key management service",
            Self::DiskFull => "the local table's disk is full",
            Self::ClientTwiceWithKey => "a client sends everything twice, with a key",
            Self::ClientTwiceWithoutKey => "a client sends everything twice, without a key",
        }
    }

    /// The system that it strikes, for people. The kinds of one system can strike together.
    pub const fn system(self) -> &'static str {
        match self {
            Self::Throttling
            | Self::Conflict
            | Self::Broken
            | Self::LostAnswer
            | Self::Slow
            | Self::Unprocessed
            | Self::Stale => "the table",
            Self::Killed | Self::WorkerKilled => "processes are killed",
            Self::QueueDown | Self::Twice | Self::Late | Self::Never | Self::Poisoned => {
                "the queue"
            }
            Self::TargetRefuses
            | Self::TargetHangs
            | Self::TargetGarbage
            | Self::TargetDrops
            | Self::TargetRedirects
            | Self::TargetReplays => "target systems",
            Self::Clock | Self::Kms => "instances",
            // Their worlds differ from all others.
            Self::DiskFull | Self::ClientTwiceWithKey | Self::ClientTwiceWithoutKey => self.title(),
        }
    }

    /// Returns whether it strikes actions of the agent alone, so that clients do little else.
    pub fn concerns_the_agent(self) -> bool {
        self == Self::WorkerKilled || ["the queue", "target systems"].contains(&self.system())
    }

    /// Returns whether it strikes calls of target systems alone.
    pub fn concerns_target_systems(self) -> bool {
        self.system() == "target systems"
    }
}
