//! Filters of lists as conditions on attributes.

use aws_sdk_dynamodb::types::AttributeValue;
use model::{
    AnyOf, Error, MilestoneId, MilestoneStatus, OrNone, PhaseId, Priority, ProjectId, Severity,
    SignalId, SignalStatus, Slug, TagId, TaskStatus, Timestamp, UserId, Who,
};

use super::table::{Condition, IntoAttribute, attribute};

/// A filter that is being made. Each part is left out where the client did not ask for it.
pub(crate) struct Filter {
    condition: Condition,
    /// Who `me` is.
    caller: UserId,
}

/// A value of a filter on an attribute that may be absent.
pub(crate) trait Filtered {
    /// As the table has it; `None` for an absent attribute.
    fn filtered(&self, caller: UserId) -> Result<Option<AttributeValue>, Error>;
}

impl Filter {
    /// Everything, for that caller.
    pub(crate) fn of(caller: UserId) -> Self {
        Self {
            condition: Condition::default(),
            caller,
        }
    }

    /// Rows whose attribute has one of the values.
    pub(crate) fn any<T: Filtered>(
        mut self,
        name: &str,
        values: Option<&AnyOf<T>>,
    ) -> Result<Self, Error> {
        if let Some(values) = values {
            let values = self.values(values)?;
            self.condition = self.condition.one_of(name, values);
        }
        Ok(self)
    }

    /// Rows whose attribute is a set with one of the values.
    pub(crate) fn having<T: Filtered>(
        mut self,
        name: &str,
        values: Option<&AnyOf<T>>,
    ) -> Result<Self, Error> {
        if let Some(values) = values {
            let values = self.values(values)?;
            self.condition = self.condition.has_one_of(name, values);
        }
        Ok(self)
    }

    /// Rows whose attribute is an instant from that one on.
    pub(crate) fn since(mut self, name: &str, first: Option<Timestamp>) -> Self {
        if let Some(first) = first {
            let first = [first.into_attribute()];
            self.condition = self.condition.and("# >= :", name, first);
        }
        self
    }

    /// Rows whose attribute is an instant before that one.
    pub(crate) fn before(mut self, name: &str, end: Option<Timestamp>) -> Self {
        if let Some(end) = end {
            let end = [end.into_attribute()];
            self.condition = self.condition.and("# < :", name, end);
        }
        self
    }

    /// The condition, if anything was asked for.
    pub(crate) fn condition(self) -> Option<Condition> {
        (!self.condition.is_empty()).then_some(self.condition)
    }

    fn values<T: Filtered>(&self, values: &AnyOf<T>) -> Result<Vec<Option<AttributeValue>>, Error> {
        let values = values.0.iter();
        values.map(|value| value.filtered(self.caller)).collect()
    }
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {$(
        impl Filtered for $name {
            fn filtered(&self, _: UserId) -> Result<Option<AttributeValue>, Error> {
                attribute(self).map(Some)
            }
        }
    )*};
}

plain!(
    MilestoneId,
    MilestoneStatus,
    PhaseId,
    Priority,
    ProjectId,
    Severity,
    SignalId,
    SignalStatus,
    Slug,
    TagId,
    TaskStatus,
    UserId,
);

impl Filtered for Who {
    fn filtered(&self, caller: UserId) -> Result<Option<AttributeValue>, Error> {
        self.user(caller).filtered(caller)
    }
}

impl<T: Filtered> Filtered for OrNone<T> {
    fn filtered(&self, caller: UserId) -> Result<Option<AttributeValue>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Some(value) => value.filtered(caller),
        }
    }
}
