//! Exact hypothesis tests, since approximations fail for the small numbers of alerts. Each sum
//! starts from a term in logarithms and derives the others one by one, so nothing overflows. Golden
//! values match to eleven digits.

/// P[Bin(`n`, `p`) ≥ `k`].
pub fn binomial_tail(n: u32, p: f64, k: u32) -> f64 {
    if k == 0 || p >= 1.0 {
        return 1.0;
    }
    if k > n || p <= 0.0 {
        return 0.0;
    }
    let odds = p / (1.0 - p);
    let term = |at: u32| {
        (ln_choose(n, at) + f64::from(at) * p.ln() + f64::from(n - at) * (1.0 - p).ln()).exp()
    };
    // Terms fall from the mean outwards. A tail beyond the mean is summed. A tail across the mean
    // is 1 minus the sum of the rest.
    if f64::from(k) > f64::from(n) * p {
        let up = (k..n).map(|at| f64::from(n - at) / f64::from(at + 1) * odds);
        sum(term(k), up).min(1.0)
    } else {
        let down = (1..k).rev();
        let down = down.map(|at| f64::from(at) / f64::from(n - at + 1) / odds);
        (1.0 - sum(term(k - 1), down)).max(0.0)
    }
}

/// Returns the probability of at least `x` cases in a window, given `b` cases in a baseline and
/// equal rates. `window` and `baseline` are the lengths. Conditional test of Przyborowski and
/// Wilenski,
/// 1940. 1 without a baseline.
pub fn surge(x: u32, window: f64, b: u32, baseline: f64) -> f64 {
    binomial_tail(x + b, window / (window + baseline), x)
}

/// Fisher's exact test, one-sided. Of all cases, `n` are drawn and `rest_n` are not; `k` of the
/// first and `rest_k` of the others have a property. Returns the probability that at least `k`
/// drawn cases have it.
pub fn fisher(k: u32, n: u32, rest_k: u32, rest_n: u32) -> f64 {
    let total = n + rest_n;
    let have = k + rest_k;
    let lack = total - have;
    // The fewest drawn cases that can have it.
    if k <= n.saturating_sub(lack) {
        return 1.0;
    }
    let first = ln_choose(have, k) + ln_choose(lack, n - k) - ln_choose(total, n);
    let ratios = (k..n.min(have)).map(|at| {
        let more = f64::from(have - at);
        let less = f64::from(n - at);
        more / f64::from(at + 1) * less / f64::from(lack + at + 1 - n)
    });
    sum(first.exp(), ratios).min(1.0)
}

/// Returns the hypotheses to reject, so that at most this share of the rejections is false
/// (Benjamini and Hochberg, 1995).
pub fn rejected(p_values: &[f64], false_share: f64) -> Vec<bool> {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let step = false_share / f64::from(u32::try_from(sorted.len()).unwrap_or(u32::MAX));
    let limits = (1..=u32::MAX).map(|rank| f64::from(rank) * step);
    let within = sorted
        .iter()
        .zip(limits)
        .filter(|(p, limit)| *p <= limit);
    let largest = within.map(|(p, _)| *p).last();
    let is_rejected = |p: &f64| largest.is_some_and(|largest| *p <= largest);
    p_values
        .iter()
        .map(is_rejected)
        .collect()
}

/// Sums a term and those that follow from it, each by its ratio to the one before.
fn sum(first: f64, ratios: impl Iterator<Item = f64>) -> f64 {
    let mut term = first;
    let mut sum = first;
    for ratio in ratios {
        term *= ratio;
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// Returns the logarithm of the number of ways to choose `k` of `n`; `n` is at least `k`.
fn ln_choose(n: u32, k: u32) -> f64 {
    let fewer = k.min(n - k);
    let factors = (1..=fewer).map(|at| (f64::from(n - fewer + at) / f64::from(at)).ln());
    factors.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(actual: f64, expected: f64) {
        assert!(
            (actual / expected - 1.0).abs() < 1e-11,
            "{actual} is not {expected}"
        );
    }

    #[test]
    fn golden_values_are_met() {
        near(surge(4, 1.0, 2, 28.0), 2.005_469_452_667_946e-5);
        near(surge(5, 7.0, 1, 28.0), 0.0016);
        near(fisher(9, 10, 40, 200), 9.167_475_738_791_632e-6);
    }

    #[test]
    fn tails_are_exact_on_both_sides_of_the_mean_and_far_out() {
        // Computed with exact fractions.
        near(binomial_tail(3, 0.5, 2), 0.5);
        near(binomial_tail(10, 0.1, 1), 1.0 - 0.9_f64.powi(10));
        near(
            binomial_tail(1_000, 1.0 / 29.0, 60),
            3.657_701_857_869_338e-5,
        );
        near(
            binomial_tail(1_000, 1.0 / 29.0, 20),
            0.997_385_139_521_765_7,
        );
        near(binomial_tail(3_000, 0.2, 700), 4.124_406_945_615_125e-6);
        near(binomial_tail(3_000, 0.2, 500), 0.999_998_613_179_971_2);
        near(binomial_tail(50, 1.0 / 673.0, 9), 8.373_863_589_156_618e-17);
        near(
            binomial_tail(200, 1.0 / 29.0, 200),
            3.314_365_656_960_146e-293,
        );
        for (n, p, k, expected) in [
            (5, 0.3, 0, 1.0),
            (5, 0.3, 6, 0.0),
            (5, 1.0, 5, 1.0),
            (5, 0.0, 1, 0.0),
            // Below the smallest positive number.
            (100_000, 0.001, 100_000, 0.0),
            (100_000, 0.999, 1, 1.0),
        ] {
            let probability = binomial_tail(n, p, k);
            assert_eq!(probability.to_bits(), f64::to_bits(expected), "{n} {p} {k}");
        }
        assert_eq!(surge(7, 1.0, 0, 0.0).to_bits(), f64::to_bits(1.0));
    }

    #[test]
    fn fisher_agrees_with_what_is_counted() {
        near(fisher(3, 5, 1, 5), 0.261_904_761_904_761_9);
        near(fisher(2, 3, 0, 1), 0.5);
        near(fisher(100, 100, 5, 100), 1.066_396_796_973_758_9e-51);
        for (k, n, rest_k, rest_n) in [(0, 5, 3, 5), (5, 5, 5, 5), (0, 0, 0, 0), (3, 3, 0, 0)] {
            near(fisher(k, n, rest_k, rest_n), 1.0);
        }
    }

    #[test]
    fn of_several_hypotheses_those_are_rejected_that_hold_up_together() {
        assert_eq!(rejected(&[], 0.05), [false; 0]);
        assert_eq!(rejected(&[0.04], 0.05), [true]);
        // 0.03 is above its own limit of 0.025, but 0.035 is below its limit of 0.0375.
        let p_values = [0.6, 0.03, 0.001, 0.035];
        assert_eq!(rejected(&p_values, 0.05), [false, true, true, true]);
        assert_eq!(rejected(&[0.03, 0.6], 0.05), [false, false]);
    }
}
