//! Amounts of money in words.

use agent::Money;

/// Returns an amount in its currency's main unit: `4821.00 USD`. The decimals follow ISO 4217.
pub(super) fn money(money: &Money) -> String {
    let currency = &money.currency;
    let decimals: u32 = match &**currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
        | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    };
    let unit = 10_u64.pow(decimals);
    let sign = if money.minor_units < 0 { "-" } else { "" };
    let (whole, rest) = (
        money.minor_units.unsigned_abs() / unit,
        money.minor_units.unsigned_abs() % unit,
    );
    if decimals == 0 {
        return format!("{sign}{whole} {currency}");
    }
    let width = usize::try_from(decimals).unwrap_or_default();
    format!("{sign}{whole}.{rest:0width$} {currency}")
}

#[cfg(test)]
mod tests {
    use agent::Currency;

    use super::*;

    #[test]
    fn money_has_its_currencys_decimals() {
        for (minor_units, currency, text) in [
            (482_105, "USD", "4821.05 USD"),
            (-5, "EUR", "-0.05 EUR"),
            (1_000, "JPY", "1000 JPY"),
            (1_001, "KWD", "1.001 KWD"),
        ] {
            let amount = Money {
                minor_units,
                currency: Currency::new(currency).unwrap(),
            };
            assert_eq!(money(&amount), text);
        }
    }
}
