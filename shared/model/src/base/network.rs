//! Networks of clients, by their addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the network of a failed sign-in: an IPv4 address, or the first 64 bits of an IPv6
/// address. One customer has all of these.
pub fn counted(address: &str) -> String {
    match address.parse() {
        Ok(IpAddr::V6(address)) => masked_v6(address, 64).to_string(),
        Ok(IpAddr::V4(_)) | Err(_) => address.to_owned(),
    }
}

/// Returns the network that people see: the first 24 bits of an IPv4 address, or the first 48 of an
/// IPv6 address. None for another text.
pub fn shown(address: &str) -> Option<String> {
    Some(
        match address
            .parse::<IpAddr>()
            .ok()?
            .to_canonical()
        {
            IpAddr::V4(address) => {
                let [a, b, c, _] = address.octets();
                format!("{}/24", Ipv4Addr::new(a, b, c, 0))
            }
            IpAddr::V6(address) => format!("{}/48", masked_v6(address, 48)),
        },
    )
}

fn masked_v6(address: Ipv6Addr, bits: u32) -> Ipv6Addr {
    Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_network_has_24_or_48_bits() {
        for (address, network) in [
            ("203.0.113.77", Some("203.0.113.0/24")),
            ("::ffff:203.0.113.77", Some("203.0.113.0/24")),
            ("2001:db8:1:2:3:4:5:6", Some("2001:db8:1::/48")),
            ("unknown", None),
        ] {
            assert_eq!(shown(address).as_deref(), network);
        }
    }
}
