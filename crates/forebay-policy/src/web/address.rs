//! Classification of IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Public,
    Loopback,
    /// Not public, for the named reason.
    Special(&'static str),
}

/// Classifies an address, including addresses embedded in others.
pub(crate) fn kind(address: IpAddr) -> Kind {
    match address {
        IpAddr::V4(address) => kind_of_v4(address),
        IpAddr::V6(address) => kind_of_v6(address),
    }
}

/// Address ranges that are not public: first address, prefix length, name.
const SPECIAL_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local, used for cloud metadata"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "reserved for protocols"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "reserved for documentation"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "reserved (AS112)"),
    (Ipv4Addr::new(192, 52, 193, 0), 24, "reserved (AMT)"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private network"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, "reserved (AS112)"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "reserved for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "reserved for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "reserved for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
    // Reachable from inside one cloud only, and its metadata service there.
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud provider's internal service"),
];

fn kind_of_v4(address: Ipv4Addr) -> Kind {
    if address.is_loopback() {
        return Kind::Loopback;
    }
    let bits = address.to_bits();
    let found = SPECIAL_V4.iter().find(|(first, length, _)| {
        let shift = 32 - length;
        bits >> shift == first.to_bits() >> shift
    });
    found.map_or(Kind::Public, |(_, _, name)| Kind::Special(name))
}

fn kind_of_v6(address: Ipv6Addr) -> Kind {
    if address.is_loopback() {
        return Kind::Loopback;
    }
    if let Some(inner) = carried_v4(address) {
        return kind_of_v4(inner);
    }
    let [first, second, ..] = address.segments();
    match (first, second) {
        (0xfe80..=0xfebf, _) => Kind::Special("link-local"),
        (0xfec0..=0xfeff | 0xfc00..=0xfdff, _) => Kind::Special("a private network"),
        (0xff00..=0xffff, _) => Kind::Special("multicast"),
        (0x2001, 0x0db8) | (0x3fff, 0..=0x0fff) => Kind::Special("reserved for documentation"),
        (0x2001, 0..=0x01ff) => Kind::Special("reserved for protocols"),
        (0x2620, 0x004f) => Kind::Special("reserved (AS112)"),
        (0x2000..=0x3fff, _) => Kind::Public,
        _ => Kind::Special("reserved"),
    }
}

/// The IPv4 address inside: mapped, translated (NAT64), 6to4. Other carriers are not public at all.
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match segments {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(joined(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, public: bool) {
        assert_eq!(kind(address.parse().unwrap()) == Kind::Public, public, "{address}");
    }

    #[test]
    fn only_public_addresses_are_public() {
        for public in
            ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101", "::ffff:8.8.8.8"]
        {
            check(public, true);
        }
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "100::1",
            "5f00::1",
            "168.63.129.16",
        ] {
            check(special, false);
        }
    }
}
