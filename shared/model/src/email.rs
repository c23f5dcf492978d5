//! Addresses of mail.

use crate::prelude::*;

plain_text! {
    /// An address for mail, kept as it was sent. Addresses are compared without regard to case.
    Email, r"^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$", 254,
    "ada@example.com", fits,
    "an address for mail in ASCII, such as ada@example.com";
}

fn fits(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let of_atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_atom = |atom: &str| !atom.is_empty() && atom.bytes().all(of_atom);
    let of_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(of_label)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // RFC 5321, 4.5.3.1.1.
    local.len() <= 64
        && local.split('.').all(is_atom)
        && domain.contains('.')
        && domain.split('.').all(is_label)
}

impl Email {
    /// Reads an address as a body would have it.
    pub fn of_text(text: &str) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let read = Self::parse(&text.into(), &mut Place::body(&mut faults));
        read.ok_or(faults)
    }

    /// Returns the key of the address, which is the same in upper and lower case.
    pub fn key(&self) -> String {
        self.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_be_sent_to_and_holds_no_header() {
        let is_one = |text: &str| Email::of_text(text).is_ok();
        let longest = format!("{}@{}.example", "a".repeat(64), "b.".repeat(89) + "com");
        let good = "ada@example.com Ada.L+desk@sub.example.co o'neil@xn--bcher-kva.example";
        for good in good.split(' ').chain([&*longest]) {
            assert!(is_one(good), "{good}");
        }
        let bad = "|ada|ada@localhost|@example.com|ada@|a..b@example.com|.a@example.com|\
                   ada@-example.com|ada lindqvist@example.com|Ada <ada@example.com>|\
                   ada@example.com\r\nBcc: eve@example.com|ada@example.com,eve@example.com|\
                   ädä@example.com";
        let (local, domain) = ("a".repeat(65), "b.".repeat(130));
        let long = [format!("{local}@example.com"), format!("a@{domain}com")];
        for bad in bad.split('|').chain(long.iter().map(String::as_str)) {
            assert!(!is_one(bad), "{bad}");
        }
    }
}
