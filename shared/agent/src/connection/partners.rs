//! Partners of a connection: the other systems that belong to the same customers.

use std::collections::BTreeMap;

use model::base::{
    Slug,
    input::{Component, Field, InputPlace, Reading, Schema, escaped, map_of, string},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{PartialSchema, ToSchema};

use crate::connection::SystemKind;

/// Other connections of the organization, by their kinds. Playbooks for an alert of this system use
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Partners(BTreeMap<SystemKind, Slug>);

impl Partners {
    /// Returns the name of the partner of a kind.
    pub fn of_kind(&self, kind: SystemKind) -> Option<&Slug> {
        self.0.get(&kind)
    }

    /// Returns the partners with their kinds.
    pub(super) fn iter(&self) -> impl Iterator<Item = (SystemKind, &Slug)> {
        self.0
            .iter()
            .map(|(kind, partner)| (*kind, partner))
    }
}

impl Component for Partners {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let members = place.object(value)?;
        let names = SystemKind::ROLES.map(SystemKind::name);
        let mut partners = BTreeMap::new();
        for (name, value) in members {
            let mut place = place.at(escaped(name));
            let Some(kind) = SystemKind::of_role(name) else {
                place.unknown_name::<()>(&json!(name), "a kind of partner", &names);
                continue;
            };
            if let Some(partner) = Slug::parse(value, &mut place) {
                partners.insert(kind, partner);
            }
        }
        (partners.len() == members.len()).then_some(Self(partners))
    }
}

impl PartialSchema for Partners {
    fn schema() -> Schema {
        let names = SystemKind::ROLES.map(SystemKind::name);
        map_of(Slug::field_schema())
            .property_names(Some(string().enum_values(Some(names))))
            .max_properties(Some(SystemKind::ROLES.len()))
            .description(Some("Other connections, by their kinds."))
            .examples([json!({"payments": "payments_eu"})])
            .into()
    }
}

impl ToSchema for Partners {}
