//! Systems as playbooks name them: by their roles, which are kinds.

use model::base::{Fault, FaultCode, Slug};

use crate::connection::{Connection, Partners, SystemKind, quoted};

/// The organization's connections, as the playbooks for an alert use them.
#[derive(Clone, Copy, Debug)]
pub struct Systems<'a> {
    connections: &'a [Connection],
    /// The name of the alert's target system.
    named: &'a str,
}

impl<'a> Systems<'a> {
    pub const fn new(connections: &'a [Connection], named: &'a str) -> Self {
        Self { connections, named }
    }

    /// Returns the connection of the alert's target system, or why there is none.
    pub fn own(self) -> Result<&'a Connection, String> {
        let own = Connection::named(self.connections, self.named);
        own.ok_or_else(|| {
            let named = quoted(self.named);
            format!("the alert's system {named} is no connection")
        })
    }

    /// Returns the connection with a role for the alert, or why there is none. It is the alert's
    /// own connection, its partner, or the only connection of that kind.
    pub fn playing(self, role: &str) -> Result<&'a Connection, String> {
        let own = self.own()?;
        let kind =
            SystemKind::of_role(role).ok_or_else(|| format!("{role:?} is no kind of system"))?;
        if own.is_of(kind) {
            return Ok(own);
        }
        let alert_system = quoted(&own.name);
        if let Some(partner) = own.partners.of_kind(kind) {
            let connection = Connection::named(self.connections, partner);
            let named = quoted(partner);
            let connection = connection.ok_or_else(|| {
                format!("{named}, the partner of {alert_system}, is no connection")
            })?;
            return connection
                .is_of(kind)
                .then_some(connection)
                .ok_or_else(|| {
                    format!("{named}, the partner of {alert_system}, is not of kind {role}")
                });
        }
        let of_kind = self
            .connections
            .iter()
            .filter(|connection| connection.is_of(kind));
        let of_kind: Vec<&Connection> = of_kind.collect();
        match *of_kind.as_slice() {
            [] => Err(format!("no connection is of kind {role}")),
            [only] => only
                .serves(own)
                .then_some(only)
                .ok_or_else(|| {
                    let only = quoted(&only.name);
                    format!("{only} is the partner of another connection than {alert_system}")
                }),
            _ => {
                let number = match of_kind.len() {
                    2 => "two".to_owned(),
                    more => more.to_string(),
                };
                Err(format!(
                    "{number} connections are of kind {role}: name one in `partners` of {alert_system}"
                ))
            }
        }
    }

    /// True if playbooks for the alert may use a connection. Without a connection of the alert's
    /// system, true.
    pub fn uses(self, name: &str) -> bool {
        let mut roles = SystemKind::ROLES.iter();
        let plays = |kind: &SystemKind| {
            let connection = self.playing(kind.name());
            connection.is_ok_and(|connection| *connection.name == *name)
        };
        self.own().is_err() || self.named == name || roles.any(plays)
    }

    /// True if the alert is of a system that plays the role. Without a connection, the system's
    /// name counts.
    pub fn fit(self, role: &str) -> bool {
        match (self.own(), SystemKind::of_role(role)) {
            (Ok(own), Some(kind)) => own.is_of(kind),
            _ => self.named == role,
        }
    }
}

impl Connection {
    /// True if its system is of a kind. A connection of the kind `other` counts by its name, since
    /// earlier releases took any kind.
    pub fn is_of(&self, kind: SystemKind) -> bool {
        let own = self.system_kind();
        own == kind || (own == SystemKind::Other && *self.name == *kind.name())
    }

    /// True unless it names another connection than `other` as its partner of that kind.
    fn serves(&self, other: &Self) -> bool {
        let partner = self
            .partners
            .of_kind(other.system_kind());
        partner.is_none_or(|partner| *partner == other.name)
    }
}

impl Partners {
    /// Returns the first fault of partners of the connection `name`: each is another connection of
    /// its kind.
    pub fn fault(&self, name: &Slug, connections: &[&Connection]) -> Option<Fault> {
        self.iter().find_map(|(kind, partner)| {
            let field = format!("partners/{}", kind.name());
            let connection = connections
                .iter()
                .find(|connection| connection.name == *partner);
            let (code, detail) = match connection {
                _ if partner == name => {
                    let detail = "A connection is no partner of itself.".to_owned();
                    (FaultCode::Combination, detail)
                }
                None => {
                    let detail = format!("There is no connection {partner:?}.");
                    (FaultCode::Unknown, detail)
                }
                Some(connection) if !connection.is_of(kind) => {
                    let other = connection.system_kind().name();
                    let detail = format!("The connection {partner:?} is of kind {other}.");
                    (FaultCode::Combination, detail)
                }
                Some(_) => return None,
            };
            Some(Fault::at(&field, code, detail))
        })
    }
}

#[cfg(test)]
mod tests {
    use model::base::{Id, Timestamp, input};
    use serde_json::Value;

    use super::*;
    use crate::connection::ConnectionPut;
    use serde_json::json;

    fn connection(name: &str, kind: &str, partners: &Value) -> Connection {
        let put = json!({
            "kind": kind, "baseUrl": format!("https://{}.example.com", name.replace('_', "-")),
            "secret": null, "allow": [], "partners": partners,
        });
        let put: ConnectionPut = input::from_value(&put).unwrap();
        let now = Timestamp::from_millis(0);
        Connection::new(Id::new(1).unwrap(), Slug::new(name).unwrap(), put, now)
    }

    /// Returns a connection of an earlier release, which took any kind.
    fn earlier(name: &str) -> Connection {
        let mut stored = json!(connection(name, "other", &json!({})));
        stored["systemKind"] = json!("demo");
        for new in ["amounts", "partners", "identity", "account"] {
            stored
                .as_object_mut()
                .unwrap()
                .remove(new);
        }
        serde_json::from_value(stored).unwrap()
    }

    #[track_caller]
    fn plays(connections: &[Connection], alert: &str, role: &str, expected: Result<&str, &str>) {
        let connection = Systems::new(connections, alert).playing(role);
        let name = connection.map(|connection| connection.name.to_string());
        assert_eq!(
            name.as_deref(),
            expected
                .map_err(str::to_owned)
                .as_ref()
                .map(|name| &**name)
        );
    }

    #[test]
    fn a_role_is_played_by_the_own_connection_or_a_partner_or_the_only_one() {
        let connections = [
            connection("billing", "billing", &json!({})),
            connection("billing_eu", "billing", &json!({"payments": "stripe_eu"})),
            connection("stripe_eu", "payments", &json!({})),
            connection("messages", "notifications", &json!({})),
        ];
        plays(&connections, "billing", "billing", Ok("billing"));
        plays(&connections, "billing_eu", "billing", Ok("billing_eu"));
        plays(&connections, "billing_eu", "payments", Ok("stripe_eu"));
        plays(&connections, "billing", "payments", Ok("stripe_eu"));
        plays(&connections, "billing_eu", "notifications", Ok("messages"));
        plays(
            &connections,
            "stripe_eu",
            "billing",
            Err("two connections are of kind billing: name one in `partners` of `stripe_eu`"),
        );
        plays(
            &connections,
            "billing",
            "stripe",
            Err("no connection is of kind stripe"),
        );
        plays(
            &connections,
            "crm",
            "billing",
            Err("the alert's system `crm` is no connection"),
        );
        plays(
            &connections,
            "billing",
            "other",
            Err("\"other\" is no kind of system"),
        );
    }

    #[test]
    fn of_several_connections_a_partner_is_named() {
        let mut connections = vec![
            connection("billing_eu", "billing", &json!({"payments": "adyen"})),
            connection("adyen", "payments", &json!({})),
            connection("payments", "payments", &json!({})),
            connection("payments_us", "payments", &json!({})),
        ];
        plays(&connections, "billing_eu", "payments", Ok("adyen"));
        // The partner was deleted, or is of another kind by now.
        let adyen = connections.remove(1);
        plays(
            &connections,
            "billing_eu",
            "payments",
            Err("`adyen`, the partner of `billing_eu`, is no connection"),
        );
        connections.push(connection("adyen", "billing", &json!({})));
        plays(
            &connections,
            "billing_eu",
            "payments",
            Err("`adyen`, the partner of `billing_eu`, is not of kind payments"),
        );
        connections[0] = connection("billing_eu", "billing", &json!({}));
        connections[3] = adyen;
        plays(
            &connections,
            "billing_eu",
            "payments",
            Err("3 connections are of kind payments: name one in `partners` of `billing_eu`"),
        );
    }

    #[test]
    fn a_system_that_names_another_partner_serves_none_else() {
        let connections = [
            connection("billing", "billing", &json!({})),
            connection("billing_eu", "billing", &json!({})),
            connection("payments", "payments", &json!({"billing": "billing"})),
        ];
        plays(&connections, "billing", "payments", Ok("payments"));
        plays(&connections, "payments", "billing", Ok("billing"));
        plays(
            &connections,
            "billing_eu",
            "payments",
            Err("`payments` is the partner of another connection than `billing_eu`"),
        );
    }

    #[test]
    fn a_connection_of_an_earlier_release_plays_the_role_of_its_name() {
        let connections = [earlier("billing"), earlier("stripe"), earlier("crm")];
        assert_eq!(json!(connections[0])["systemKind"], "demo");
        assert_eq!(connections[0].system_kind(), SystemKind::Other);
        assert_eq!(connections[0].amounts(), None);
        plays(&connections, "billing", "billing", Ok("billing"));
        plays(&connections, "crm", "billing", Ok("billing"));
        plays(&connections, "crm", "stripe", Ok("stripe"));
        plays(
            &connections,
            "billing",
            "payments",
            Err("no connection is of kind payments"),
        );
    }

    #[test]
    fn an_alert_fits_by_the_kind_of_its_system() {
        let connections = [
            connection("stripe_eu", "stripe", &json!({})),
            // The name says nothing about the kind.
            connection("stripe", "billing", &json!({})),
        ];
        let fit = |alert, role| Systems::new(&connections, alert).fit(role);
        assert!(fit("stripe_eu", "stripe"));
        assert!(!fit("stripe", "stripe"));
        assert!(fit("stripe", "billing"));
        assert!(!fit("stripe_eu", "billing"));
        // Without a connection, its actions are manual.
        assert!(fit("chargebee", "chargebee"));
        assert!(!fit("crm", "chargebee"));
    }

    #[test]
    fn outcomes_count_of_the_systems_that_the_alert_uses() {
        let connections = [
            connection("billing", "billing", &json!({"payments": "payments"})),
            connection("billing_eu", "billing", &json!({"payments": "adyen"})),
            connection("payments", "payments", &json!({})),
            connection("adyen", "payments", &json!({})),
        ];
        let uses = |name| Systems::new(&connections, "billing_eu").uses(name);
        assert!(uses("billing_eu") && uses("adyen"));
        assert!(!uses("billing") && !uses("payments"));
        assert!(Systems::new(&connections, "crm").uses("billing"));
    }
}
