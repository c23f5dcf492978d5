//! The names of the crate's files: `use crate::prelude::*;` imports them.

pub(crate) use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::{Deref, DerefMut},
};

pub(crate) use ::model::{
    characters::{in_lines, on_one_line},
    input::{
        Apart, Change, Component, Defaulted, Field, Form, List, OneOf, Patch, Place, Reading,
        Schema, escaped, map_of, string,
    },
    journal::{Chained, Link, canonical, first_break, subject},
    *,
};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Number, Value, json};
pub(crate) use utoipa::ToSchema;

pub(crate) use crate::{
    action::{
        ActionContent, ActionKey, ActionResult, ActionState, ActionStep, ActionType, AgentAction,
        ApiCall, CallResult, Called, Effect, HeldRecord, Message, MoneyDirection, MoneyMoved,
        OpenCall, Outcome, RecordSystem, Reversible, Risk, Schedule, StepResult, StepStatus, Try,
        VerdictOutcome,
    },
    alert::{
        Alert, AlertCreate, AlertEntity, AlertMetric, AlertReport, AlertStatus, Currency, Firing,
        Labels, LifecycleEvent, Measure, Money, Recurrence, Severity,
    },
    check::{
        AnswerCondition, Check, CheckPurpose, CheckRecord, CheckResult, CheckStatus, Checks,
        FactCondition, Facts, Judgement, Observation, Precondition, Purpose, Reconciliation,
        ResolvedWhen, TargetRead, Verification, read_of, reads_of,
    },
    connection::{
        AgentPause, Connection, ConnectionRevision, ConnectionTraffic, HeaderName, Idempotency,
        KeyName, Period, Restored, SystemKind, Systems,
    },
    journal::{Excerpt, JournalActor, JournalActorType, JournalEntry, JournalEvent, Note},
    pattern::{ClassHistory, Cycle, Occurrence, Pattern, PatternWindow, SharedLabel, statistics},
    policy::{
        ActionApproval, AgentPolicy, Approvers, Charge, PolicyCaps, PolicyMatch, PolicyPreset,
        PolicyRule, Requirement,
    },
    session::{
        ActionRecord, AgentSession, AgentSessionStatus, Analysis, ApprovedActions, Approver,
        Approving, Evidence, Handling, HandlingStatus, PlaybookVersion, Proposal, ProposedAction,
        ReadEvidence, SessionContext,
    },
};
