//! DNS resolution that returns public addresses only. A connection must not reach private networks
//! through this service.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Resolves a name to its public addresses only. The call uses one of the returned addresses, so a
/// later change of the name has no effect.
#[derive(Debug)]
pub(crate) struct Public;

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<_> = addresses
                .filter(|address| is_public(address.ip()))
                .collect();
            if public.is_empty() {
                return Err(io::Error::other("the name has no public address").into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// True for a public internet address, by IANA's registries of special addresses.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => is_public_v4(mapped),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match a {
        // This network, loopback, multicast, and reserved addresses including broadcast.
        0 | 127 | 224.. => true,
        // Shared address space of providers.
        100 => (64..128).contains(&b),
        192 => (b, c) == (0, 0) || (b, c) == (88, 99),
        // Benchmarks.
        198 => b == 18 || b == 19,
        _ => false,
    };
    let is_inner = address.is_private() || address.is_link_local() || address.is_documentation();
    !(is_special || is_inner)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Global addresses, without tunnels and documentation.
    let is_global = (0x2000..0x4000).contains(&a);
    let is_tunnel = a == 0x2002 || (a == 0x2001 && b < 0x0200);
    is_global && !is_tunnel && (a, b) != (0x2001, 0x0db8) && a != 0x3fff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_networks_are_not_public() {
        let inner = "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 \
                     192.0.2.1 192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 \
                     ::ffff:10.0.0.1 64:ff9b::a00:1 fc00::1 fd00:ec2::254 fe80::1 ff02::1 2001:db8::1 2001::1 \
                     2002:a00:1::1";
        let public = "1.1.1.1 100.63.0.1 172.32.0.1 192.1.0.1 2606:4700::1111 2a00:1450:4001::200e \
                      ::ffff:1.1.1.1";
        for (addresses, expected) in [(inner, false), (public, true)] {
            for address in addresses.split(' ') {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_not_known() {
        let name: Name = "localhost".parse().unwrap();
        let error = Public
            .resolve(name)
            .await
            .map(|_| ())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("no public address"),
            "{error}"
        );
    }
}
