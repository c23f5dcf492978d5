//! Enums without fields, as a client names them.

use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

use crate::{
    ActionType, ActivitySort, ActivityType, AgentSessionSort, AgentSessionStatus, AlertSort,
    AlertmanagerStatus, AlertmanagerVersion, AuthScheme, BodyFormat, ConnectionSort, CreatedSort,
    HistorySort, JournalSort, KeyPlace, MilestoneSort, MilestoneStatus, Permission, PhaseSort,
    PolicyPreset, Priority, ProjectSort, ProjectStatus, ProjectTaskSort, ReferenceSort,
    ReferenceType, Replays, Risk, Role, SavingSort, ServiceStatus, SessionSort, Severity,
    SignalStatus, TagSort, TaskSort, TaskStatus, ThreadSort, TokenSort, UserSort, VerdictOutcome,
    input::{Field, Place, Reading, one_of, one_of_schema},
};

macro_rules! one_of {
    ($($name:ident),* $(,)?) => {$(
        impl Field for $name {
            fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
                one_of(value, place)
            }

            fn field_schema() -> RefOr<Schema> {
                one_of_schema::<Self>()
            }

            fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
                all.push((<Self as ToSchema>::name().into_owned(), <Self as PartialSchema>::schema()));
            }
        }
    )*};
}

one_of! {
    ActionType,
    ActivitySort,
    ActivityType,
    AgentSessionSort,
    AgentSessionStatus,
    AlertSort,
    AlertmanagerStatus,
    AlertmanagerVersion,
    AuthScheme,
    BodyFormat,
    ConnectionSort,
    CreatedSort,
    HistorySort,
    JournalSort,
    KeyPlace,
    MilestoneSort,
    MilestoneStatus,
    Permission,
    PhaseSort,
    PolicyPreset,
    Priority,
    ProjectSort,
    ProjectStatus,
    ProjectTaskSort,
    ReferenceSort,
    ReferenceType,
    Replays,
    Risk,
    Role,
    SavingSort,
    ServiceStatus,
    SessionSort,
    Severity,
    SignalStatus,
    TagSort,
    TaskSort,
    TaskStatus,
    ThreadSort,
    TokenSort,
    UserSort,
    VerdictOutcome,
}
