//! Kinds of target systems, and the units of their amounts.

use model::{
    base::{OrOther, Timestamp},
    names,
};
use serde_json::{Number, Value};

use crate::alert::{Currency, Money};

names! {
    /// The kind of a target system. Playbooks name systems by their kinds.
    pub enum SystemKind = "a kind of system" {
        /// A billing system: invoices, usage and customers.
        Billing,
        /// A payment system: payments and disputes.
        Payments,
        /// A system that sends messages to customers.
        Notifications,
        /// Stripe.
        Stripe,
        /// Lago.
        Lago,
        /// Chargebee.
        Chargebee,
        /// Another system. `amounts` says how it writes amounts.
        Other,
    }
}

names! {
    /// The unit in which a target system writes amounts.
    pub enum Amounts = "a unit of amounts" {
        /// The currency's smallest unit: 7015 for 70.15 USD.
        Minor,
        /// The currency's main unit: 70.15.
        Main,
    }
}

impl SystemKind {
    /// The kinds by which playbooks name systems.
    pub const ROLES: [Self; 6] = [
        Self::Billing,
        Self::Payments,
        Self::Notifications,
        Self::Stripe,
        Self::Lago,
        Self::Chargebee,
    ];

    /// Returns the kind that a record names. A name of another release counts as `other`.
    pub fn of(stored: &OrOther<Self>) -> Self {
        stored.known().unwrap_or(Self::Other)
    }

    /// Returns the kind of the systems that play a role; none for another name.
    pub fn of_role(role: &str) -> Option<Self> {
        Self::ROLES
            .into_iter()
            .find(|kind| kind.name() == role)
    }

    /// True if no system of the kind writes amounts in another unit than the others, or if it moves
    /// no money.
    pub const fn has_one_unit(self) -> bool {
        match self {
            Self::Notifications | Self::Stripe | Self::Lago | Self::Chargebee => true,
            Self::Billing | Self::Payments | Self::Other => false,
        }
    }

    /// The unit of its amounts if the connection names none, as earlier releases let all do; none
    /// if it is not known.
    pub const fn amounts(self) -> Option<Amounts> {
        match self {
            Self::Other => None,
            Self::Billing
            | Self::Payments
            | Self::Notifications
            | Self::Stripe
            | Self::Lago
            | Self::Chargebee => Some(Amounts::Minor),
        }
    }
}

/// Returns the number of decimals of amounts in a kind of system: those of ISO 4217, unless the
/// system has its own.
fn decimals(currency: &str, kind: SystemKind) -> usize {
    match (kind, currency) {
        // <https://docs.stripe.com/currencies#minor-units>
        (SystemKind::Stripe, "ISK" | "UGX") => 2,
        (SystemKind::Stripe, "MGA")
        | (
            _,
            "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
            | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF",
        ) => 0,
        (_, "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND") => 3,
        (_, "CLF" | "UYW") => 4,
        _ => 2,
    }
}

/// The most digits of a decimal number in an answer. A number of more digits may stand for another.
const MOST_DIGITS: usize = 15;

/// Returns an amount of an answer in the currency's smallest unit, exactly.
///
/// `currency` is a code of three letters in any case. An amount in the smallest unit is a whole
/// number. One in the main unit is a number, or a text of digits with at most one point, and has no
/// more decimals than the currency. None for any other value, and for one beyond an `i64`.
pub fn minor_units(
    value: &Value,
    currency: &str,
    kind: SystemKind,
    amounts: Amounts,
) -> Option<i64> {
    let currency = Currency::new(&currency.to_ascii_uppercase())?;
    let decimals = match amounts {
        Amounts::Minor => 0,
        Amounts::Main => decimals(&currency, kind),
    };
    match value {
        Value::Number(number) => shifted(&decimal(number)?, decimals),
        Value::String(text) if amounts == Amounts::Main => shifted(text, decimals),
        _ => None,
    }
}

/// Returns the decimal text of a number as the answer has it. None for a number that may have been
/// rounded.
fn decimal(number: &Number) -> Option<String> {
    let text = number.to_string();
    if !number.is_f64() {
        return Some(text);
    }
    let digits = text.trim_start_matches(['-', '0', '.']);
    let digits = digits
        .bytes()
        .filter(u8::is_ascii_digit);
    // A whole number is written as `70.0`.
    let whole = text.strip_suffix(".0").unwrap_or(&text);
    (digits.count() <= MOST_DIGITS).then(|| whole.to_owned())
}

/// Moves the point of a decimal text to the right. None if a digit would stand behind it.
fn shifted(text: &str, decimals: usize) -> Option<i64> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", text),
    };
    let (whole, fraction) = match size.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (size, ""),
    };
    let are_digits = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit())
    };
    let is_decimal = !whole.is_empty() && are_digits(whole) && are_digits(fraction);
    if !is_decimal || fraction.len() > decimals {
        return None;
    }
    format!("{sign}{whole}{fraction:0<decimals$}")
        .parse()
        .ok()
}

impl Money {
    /// Returns the amount in the currency's main unit, such as `10,000.00 USD`. `kind` is the kind
    /// of the target system, which may count in other units than ISO 4217.
    pub fn says(&self, kind: SystemKind) -> String {
        let decimals = decimals(&self.currency, kind);
        let digits = self
            .minor_units
            .unsigned_abs()
            .to_string();
        let digits = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, rest) = digits.split_at(digits.len() - decimals);
        let mut text = String::new();
        if self.minor_units < 0 {
            text.push('-');
        }
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at) % 3 == 0 {
                text.push(',');
            }
            text.push(digit);
        }
        if decimals > 0 {
            text.push('.');
            text.push_str(rest);
        }
        format!("{text} {}", self.currency)
    }
}

/// The circumstances of a read, on which facts depend besides the answer's body.
#[derive(Clone, Copy, Debug)]
pub struct ReadingOf {
    /// The instant of the read.
    pub at: Timestamp,
    /// The kind of the system.
    pub kind: SystemKind,
    /// The unit of its amounts. None if it is not known: then amounts are unknown.
    pub amounts: Option<Amounts>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the amount of an answer's text, which is read as JSON.
    fn read(answer: &str, currency: &str, kind: SystemKind, amounts: Amounts) -> Option<i64> {
        let value: Value = serde_json::from_str(answer).unwrap();
        minor_units(&value, currency, kind, amounts)
    }

    #[test]
    fn an_amount_in_main_units_is_exact() {
        let cases = [
            ("70", "USD", Some(7_000)),
            ("70.0", "USD", Some(7_000)),
            ("7e1", "USD", Some(7_000)),
            ("5e3", "USD", Some(500_000)),
            (r#""70""#, "USD", Some(7_000)),
            (r#""70.1""#, "usd", Some(7_010)),
            (r#""70.15""#, "USD", Some(7_015)),
            ("70.15", "USD", Some(7_015)),
            // In binary, 70.15 and 1.15 are a little less.
            ("1.15", "USD", Some(115)),
            ("0.29", "USD", Some(29)),
            ("-70.15", "USD", Some(-7_015)),
            ("0", "USD", Some(0)),
            ("0.07", "USD", Some(7)),
            ("490", "EUR", Some(49_000)),
            ("9999999999999.99", "USD", Some(999_999_999_999_999)),
            ("70", "JPY", Some(70)),
            ("70.0", "JPY", Some(70)),
            ("70.5", "JPY", None),
            (r#""70.00""#, "JPY", None),
            ("1.234", "BHD", Some(1_234)),
            (r#""1.2345""#, "BHD", None),
            ("70.155", "USD", None),
            // It may be written for 70,000.
            (r#""70.000""#, "USD", None),
            // Rounded when it was read.
            ("90071992547409.93", "USD", None),
            ("9007199254740993.5", "USD", None),
            ("92233720368547758", "USD", Some(9_223_372_036_854_775_800)),
            ("92233720368547759", "USD", None),
            ("1e300", "USD", None),
            ("1e-7", "USD", None),
            (r#""""#, "USD", None),
            (r#"".5""#, "USD", None),
            (r#""5.""#, "USD", None),
            (r#""+5""#, "USD", None),
            (r#""-""#, "USD", None),
            (r#""1,000""#, "USD", None),
            (r#""1e3""#, "USD", None),
            (r#"" 5""#, "USD", None),
            (r#""٥""#, "USD", None),
            ("true", "USD", None),
            ("null", "USD", None),
            ("[5]", "USD", None),
            ("5", "US", None),
            ("5", "", None),
            ("5", "US$", None),
        ];
        for (answer, currency, expected) in cases {
            let minor_units = read(answer, currency, SystemKind::Other, Amounts::Main);
            assert_eq!(minor_units, expected, "{answer} {currency}");
        }
    }

    #[test]
    fn an_amount_in_the_smallest_unit_is_a_whole_number() {
        let cases = [
            ("7015", Some(7_015)),
            ("5000.0", Some(5_000)),
            ("-5", Some(-5)),
            ("70.15", None),
            (r#""7015""#, None),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("18446744073709551615", None),
        ];
        for (answer, expected) in cases {
            let minor_units = read(answer, "USD", SystemKind::Billing, Amounts::Minor);
            assert_eq!(minor_units, expected, "{answer}");
        }
        assert_eq!(
            minor_units(&json!(7), "yen", SystemKind::Lago, Amounts::Minor),
            Some(7)
        );
    }

    #[test]
    fn a_system_has_decimals_of_its_own() {
        for (currency, kind, expected) in [
            ("ISK", SystemKind::Stripe, Some(7_000)),
            ("isk", SystemKind::Stripe, Some(7_000)),
            ("UGX", SystemKind::Stripe, Some(7_000)),
            ("MGA", SystemKind::Stripe, Some(70)),
            ("JPY", SystemKind::Stripe, Some(70)),
            ("BHD", SystemKind::Stripe, Some(70_000)),
            ("ISK", SystemKind::Chargebee, Some(70)),
            ("CLF", SystemKind::Other, Some(700_000)),
        ] {
            let minor_units = read("70", currency, kind, Amounts::Main);
            assert_eq!(minor_units, expected, "{currency} at {}", kind.name());
        }
    }

    #[test]
    fn only_another_system_has_unknown_units() {
        for kind in SystemKind::ALL {
            let is_known = *kind != SystemKind::Other;
            assert_eq!(kind.amounts().is_some(), is_known, "{}", kind.name());
        }
    }

    #[test]
    fn an_amount_has_the_decimals_of_its_system() {
        for (minor_units, currency, kind, text) in [
            (1_000_000, "USD", SystemKind::Billing, "10,000.00 USD"),
            (482_105, "USD", SystemKind::Stripe, "4,821.05 USD"),
            (99_999, "USD", SystemKind::Other, "999.99 USD"),
            (-5, "EUR", SystemKind::Other, "-0.05 EUR"),
            (-123_456_789, "EUR", SystemKind::Other, "-1,234,567.89 EUR"),
            (1_000, "JPY", SystemKind::Other, "1,000 JPY"),
            (1_000, "JPY", SystemKind::Stripe, "1,000 JPY"),
            (0, "JPY", SystemKind::Other, "0 JPY"),
            (1_001, "KWD", SystemKind::Other, "1.001 KWD"),
            (12_345_678, "CLF", SystemKind::Other, "1,234.5678 CLF"),
            (500, "UYW", SystemKind::Other, "0.0500 UYW"),
            (500, "UYI", SystemKind::Other, "500 UYI"),
            // Stripe counts these in hundredths, and one that ISO divides as a whole.
            (500, "ISK", SystemKind::Lago, "500 ISK"),
            (500, "ISK", SystemKind::Stripe, "5.00 ISK"),
            (500, "UGX", SystemKind::Stripe, "5.00 UGX"),
            (500, "MGA", SystemKind::Stripe, "500 MGA"),
        ] {
            let currency = Currency::new(currency).unwrap();
            let amount = Money {
                minor_units,
                currency,
            };
            assert_eq!(amount.says(kind), text);
        }
    }
}
