//! Windows over generated histories, and the rate of false alarms.

use std::collections::BTreeMap;

use model::base::{AlertId, Id, Slug, Timestamp, span};
use serde_json::json;

use crate::alert::{Alert, AlertEntity, Labels};

use super::*;

const NOW: &str = "2026-01-15T12:34:56Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn entity(id: &str) -> Vec<AlertEntity> {
    vec![AlertEntity {
        r#type: Slug::new("invoice").unwrap(),
        id: id.try_into().unwrap(),
    }]
}

fn alert() -> Alert {
    serde_json::from_value(json!({
        "id": 9, "organizationId": 1, "source": "m", "externalId": "9", "signalType": "late",
        "severity": "error", "status": "open", "title": "Late", "targetSystem": "billing",
        "entities": entity("own"), "labels": {"gateway": "stripe", "region": "eu"}, "lifecycle": [],
        "occurredAt": now(), "lastOccurredAt": now(), "count": 1, "createdAt": now(),
        "updatedAt": now(),
    }))
    .unwrap()
}

/// An occurrence with that record, so many minutes ago.
fn ago(minutes: i64, record: &str) -> Occurrence {
    let id = AlertId::new(1).unwrap();
    Occurrence::of(id, &entity(record), now().plus(-minutes * span::MINUTE))
}

/// Occurrences of different records, those many minutes ago.
fn each(minutes: impl IntoIterator<Item = i64>) -> Vec<Occurrence> {
    let records = minutes.into_iter().enumerate();
    records
        .map(|(at, minutes)| ago(minutes, &format!("r{at}")))
        .collect()
}

fn history(occurrences: Vec<Occurrence>) -> ClassHistory {
    ClassHistory {
        since: Some(now().plus(-ClassHistory::DAYS * span::DAY)),
        occurrences,
        ..ClassHistory::none(now())
    }
}

fn of(history: &ClassHistory, cycle: Cycle) -> Pattern {
    Pattern::of(&alert(), history, cycle)
}

const DAY: i64 = 24 * 60;

#[test]
fn a_first_case_is_no_pattern() {
    let pattern = of(&history(vec![ago(0, "own"), ago(5, "own")]), Cycle::None);
    let counts = pattern
        .windows
        .iter()
        .map(|window| (window.hours, window.count));
    assert_eq!(counts.collect::<Vec<_>>(), [(1, 0), (24, 0), (168, 0)]);
    let mut windows = pattern.windows.iter();
    assert!(windows.all(|window| window.p_value.to_bits() == 1.0_f64.to_bits()));
    assert!(!pattern.is_anomaly());
}

#[test]
fn windows_end_now_to_the_minute() {
    let days = [1, 7, 35].map(|days| [days * DAY - 1, days * DAY]);
    let ages = [0, 59, 60]
        .into_iter()
        .chain(days.into_iter().flatten());
    let pattern = of(&history(each(ages)), Cycle::None);
    let counts = pattern
        .windows
        .iter()
        .map(|window| (window.count, window.baseline));
    assert_eq!(counts.collect::<Vec<_>>(), [(2, 2), (4, 2), (6, 2)]);
    let mut windows = pattern.windows.iter();
    assert!(windows.all(|window| (window.baseline_days - 28.0).abs() < 1e-9));
    // A future occurrence does not count.
    let ahead = of(&history(each([-1, -60])), Cycle::None);
    assert_eq!(ahead.windows[0].count, 0);
}

/// Three hundred different records within a minute, of which a hundred are kept.
#[test]
fn a_storm_is_a_pattern_of_at_least_so_many() {
    let mut storm = each(std::iter::repeat_n(1, Occurrence::MOST_AN_HOUR - 1));
    storm.push(ago(1, "own"));
    let mut history = history(storm);
    for (recorded, shown) in [
        // The storm is the first that the organization reports.
        (Some(span::MINUTE), [true, false, false]),
        (None, [true, false, false]),
        // Quiet hours are known, and then days.
        (Some(4 * span::HOUR), [true, false, false]),
        (Some(3 * span::DAY), [true, true, false]),
        (Some(30 * span::DAY), [true, true, true]),
    ] {
        history.since = recorded.map(|recorded| now().plus(-recorded));
        let windows = of(&history, Cycle::None).windows;
        let fires: Vec<_> = windows
            .iter()
            .map(|window| window.fires)
            .collect();
        assert_eq!(fires, shown, "{recorded:?}: {windows:?}");
        for window in windows {
            assert_eq!(window.count, 99);
            assert!(window.count_is_least && !window.baseline_is_least);
        }
    }
    // Of the calendar's surges, other months tell.
    history.since = None;
    assert!(!of(&history, Cycle::Monthly).is_anomaly());
    // One fewer is all that there were.
    history.occurrences.pop();
    let windows = of(&history, Cycle::None).windows;
    assert!(
        windows
            .iter()
            .all(|window| !window.count_is_least && !window.fires)
    );
}

#[test]
fn a_storm_of_every_day_is_no_pattern_and_has_been_at_least_so_many() {
    let day = |day: i64| (0..100).map(move |at| ago(day * DAY + 1, &format!("{day}-{at}")));
    let day = of(&history((0..40).flat_map(day).collect()), Cycle::None).windows[1];
    assert_eq!((day.count, day.baseline), (100, 2_800));
    assert!(day.count_is_least && day.baseline_is_least && !day.fires);
}

#[test]
fn the_golden_value_is_what_a_day_answers() {
    let ages = [100, 200, 300, 400, 10 * DAY, 20 * DAY];
    let pattern = of(&history(each(ages)), Cycle::None);
    let day = pattern.windows[1];
    assert_eq!((day.hours, day.count, day.baseline), (24, 4, 2));
    assert!(
        (day.p_value / 2.005_469_452_67e-5 - 1.0).abs() < 1e-9,
        "{day:?}"
    );
    assert!(day.fires && pattern.is_anomaly());
    assert!(!pattern.windows[0].fires);
}

#[test]
fn a_record_counts_once_in_a_window_and_once_in_each_block_of_the_baseline() {
    // Ten customers, twice a day each.
    let day = |day: i64| (0..20).map(move |at| ago(day * DAY + at * 70, &format!("c{}", at % 10)));
    let pattern = of(&history((0..100).flat_map(day).collect()), Cycle::None);
    let [_, day, week] = pattern.windows.as_slice() else {
        panic!("{pattern:?}");
    };
    assert_eq!((day.count, day.baseline), (10, 280));
    assert_eq!((week.count, week.baseline), (10, 40));
    assert!(!pattern.is_anomaly(), "{pattern:?}");
}

#[test]
fn the_baseline_goes_as_far_back_as_alerts_were_recorded() {
    let mut history = history(each([100, 200, 300, 400]));
    for (days, [hour, day, week]) in [
        (0, [0.0, 0.0, 0.0]),
        (1, [0.5, 0.0, 0.0]),
        (7, [3.5, 3.0, 0.0]),
        (8, [4.0, 4.0, 0.0]),
        (14, [7.0, 7.0, 7.0]),
        (16, [9.0, 9.0, 7.0]),
        (60, [28.0, 28.0, 28.0]),
    ] {
        history.since = Some(now().plus(-days * span::DAY));
        let windows = of(&history, Cycle::None).windows;
        let baselines: Vec<f64> = windows
            .iter()
            .map(|window| window.baseline_days)
            .collect();
        let near = baselines.iter().zip([hour, day, week]);
        assert!(
            near.clone()
                .all(|(a, b)| (a - b).abs() < 1e-9),
            "{days}: {baselines:?}"
        );
        // Without a baseline, few are not unusual.
        assert_eq!(windows[1].fires, days >= 14, "{days}: {windows:?}");
    }
    history.since = None;
    assert!(!of(&history, Cycle::None).is_anomaly());
}

#[test]
fn what_goes_by_the_calendar_is_compared_with_the_same_hours_of_other_months() {
    // Twelve on the 15th of each month, and no others.
    let months = (0..4).flat_map(|month| {
        let minutes = now().since(now().months_earlier(month)) / span::MINUTE;
        (0..12).map(move |number| ago(minutes + 3 * number, &format!("m{month}-{number}")))
    });
    let history = history(months.collect());
    assert!(of(&history, Cycle::None).surges());
    let pattern = of(&history, Cycle::Monthly);
    assert!(!pattern.surges(), "{pattern:?}");
    let hour = pattern.windows[0];
    assert_eq!((hour.count, hour.baseline), (12, 36));
    assert!((hour.baseline_days - 3.0 / 24.0).abs() < 1e-9);
    // A month with five times as many surges.
    let mut more = history;
    more.occurrences.extend(each(0..48));
    assert!(of(&more, Cycle::Monthly).surges());
}

#[test]
fn labels_that_others_share_are_named() {
    let sample = |number: i64, minutes: i64, gateway: &str, region: &str| LabelledAlert {
        id: AlertId::new(number).unwrap(),
        entities: entity(&format!("l{number}")),
        labels: Labels(BTreeMap::from([
            ("gateway".to_owned(), gateway.to_owned()),
            ("region".to_owned(), region.to_owned()),
        ])),
        occurred_at: now().plus(-minutes * span::MINUTE),
    };
    let mut history = history(each([10, 20, 30, 40, 50, 51, 52, 53, 54, 55]));
    // Nine of ten in the window and 40 of 200 before it have the gateway. All have the region.
    history.recent = (1..=10)
        .map(|at| sample(at, 10 * at, if at == 1 { "adyen" } else { "stripe" }, "eu"))
        .collect();
    history.earlier = (11..=210)
        .map(|at| {
            let gateway = if at % 5 == 0 { "stripe" } else { "adyen" };
            sample(at, 10 * DAY + at, gateway, "eu")
        })
        .collect();
    // The alert's own record does not count, and a repeated record counts once.
    let mut own = sample(9, 1, "stripe", "eu");
    own.entities = entity("own");
    history.recent.push(own);
    history
        .recent
        .push(history.recent[1].clone());
    let pattern = of(&history, Cycle::None);
    let [shared] = pattern.shared.as_slice() else {
        panic!("{:?}", pattern.shared);
    };
    assert_eq!((&*shared.name, &*shared.value), ("gateway", "stripe"));
    let counts = [shared.count, shared.of];
    let baseline = [shared.baseline_count, shared.baseline_of];
    assert_eq!((counts, baseline), ([9, 10], [40, 200]));
    assert!(
        (shared.p_value / 9.167_475_739e-6 - 1.0).abs() < 1e-9,
        "{shared:?}"
    );
    // Without a window that fires, no label is shown.
    history.occurrences.clear();
    assert!(
        of(&history, Cycle::None)
            .shared
            .is_empty()
    );
}

#[test]
fn what_was_put_right_before_comes_back() {
    let recurrence = Recurrence {
        entity: "own".into(),
        agent_session_id: Id::new(3).unwrap(),
        at: now(),
    };
    let again = Alert {
        recurrence: Some(recurrence.clone()),
        ..alert()
    };
    let pattern = Pattern::of(&again, &history(vec![]), Cycle::None);
    assert_eq!(pattern.recurrence, Some(recurrence));
    assert!(pattern.is_anomaly() && !pattern.surges());
}

#[test]
fn an_occurrence_is_kept_as_a_number_of_its_day() {
    let occurrence = ago(0, "x");
    let day = now().start_of_day();
    assert_eq!(
        Occurrence::on_day(day, occurrence.within_day()),
        Some(occurrence)
    );
    assert_eq!(Occurrence::on_day(day, -1), None);
    assert_eq!(Occurrence::on_day(day, 1_440 << 32), None);
    // The order of records does not matter. Without records, each alert counts by itself.
    let a = entity("a").remove(0);
    let b = entity("b").remove(0);
    let [first, second] = [1, 2].map(|id| AlertId::new(id).unwrap());
    let records = |id, entities: &[AlertEntity]| Occurrence::of(id, entities, now()).records;
    let both = records(first, &[a.clone(), b.clone()]);
    assert_eq!(both, records(second, &[b, a.clone()]));
    let single = records(first, std::slice::from_ref(&a));
    assert_eq!(single, records(second, &[a]));
    assert_ne!(records(first, &[]), records(second, &[]));
}

/// Reproducible random numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number above 0, up to 1.
    fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap()).mul_add(1.0, 1.0) / 4_294_967_296.0
    }

    /// Returns the ages, in minutes, of random cases at `a_day` per day, between two ages in days.
    fn poisson(&mut self, a_day: f64, from: f64, to: f64) -> Vec<i64> {
        let mut ages = Vec::new();
        let mut age = from;
        loop {
            age -= self.share().ln() / a_day;
            if age >= to {
                return ages;
            }
            #[expect(clippy::cast_possible_truncation, reason = "some thousands of minutes")]
            ages.push((age * 1_440.0) as i64);
        }
    }
}

/// Cases of those ages, each of another record. A counter replaces the hash.
fn cases(ages: &[i64]) -> Vec<Occurrence> {
    let minute = now().millis().div_euclid(span::MINUTE);
    let case = |(records, age): (u32, &i64)| Occurrence {
        minute: minute - age,
        records,
    };
    (0..).zip(ages).map(case).collect()
}

/// Returns the shares of streams that fire: steady ones, and ones with ten times the rate for the
/// last day. Each is analysed because of a fresh alert, after alerts were recorded for some days.
fn fired(streams: u32, a_day: f64, recorded: i64) -> (f64, f64) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = u32::try_from(threads).unwrap();
    let of_thread = |thread: u32| {
        let alert = alert();
        let fires = |ages: &[i64]| {
            let mut history = history(cases(ages));
            history.since = Some(now().plus(-recorded * span::DAY));
            let windows = windows::windows(&alert, &history, Cycle::None);
            u32::from(
                windows
                    .iter()
                    .any(|window| window.fires),
            )
        };
        let mut false_alarms = 0;
        let mut detected = 0;
        for stream in (thread..streams).step_by(usize::try_from(threads).unwrap()) {
            // The streams are the same for any number of threads.
            let mut random = Random(u64::from(stream) << 32 ^ a_day.to_bits());
            let mut ages = random.poisson(a_day, 0.0, 36.0);
            false_alarms += fires(&ages);
            ages.extend(random.poisson(9.0 * a_day, 0.0, 1.0));
            detected += fires(&ages);
        }
        (false_alarms, detected)
    };
    let (false_alarms, detected) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || of_thread(thread)))
            .collect();
        let counts = threads
            .into_iter()
            .map(|thread| thread.join().unwrap());
        counts.fold((0, 0), |total, of| (total.0 + of.0, total.1 + of.1))
    });
    let share = |number: u32| f64::from(number) / f64::from(streams);
    (share(false_alarms), share(detected))
}

const RATES: [f64; 9] = [0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 20.0, 28.0, 50.0];

/// The number of streams per rate in the long test.
const STREAMS: u32 = 20_000;

#[test]
fn steady_streams_fire_hardly_ever_and_those_that_swell_do() {
    let mut false_alarms = 0.0;
    let mut shares = Vec::new();
    for a_day in RATES {
        let (steady, tenfold) = fired(60, a_day, ClassHistory::DAYS);
        false_alarms += steady;
        shares.push(tenfold);
    }
    assert!(false_alarms * 60.0 <= 1.5, "{false_alarms}");
    // At one a day, nine more in a day are found. At one in ten days, a single alert is no pattern.
    assert!(
        shares[2] > 0.7
            && shares[4..]
                .iter()
                .all(|share| *share > 0.99),
        "{shares:?}"
    );
}

#[test]
fn a_short_record_raises_no_false_alarms() {
    let mut false_alarms = 0.0;
    for recorded in [1, 3, 8] {
        for a_day in RATES {
            false_alarms += 40.0 * fired(40, a_day, recorded).0;
        }
    }
    // Of 1,080; the streams are the same for each length.
    assert!(false_alarms <= 3.5, "{false_alarms}");
}

/// `cargo test --release -p agent --lib -- --ignored --nocapture false_alarms`
#[test]
#[ignore = "seconds in release, minutes otherwise"]
fn false_alarms_of_many_streams_stay_below_alpha() {
    println!("{STREAMS} streams of each rate");
    println!("a day   false alarms   tenfold since a day ago found");
    for a_day in RATES {
        let (steady, tenfold) = fired(STREAMS, a_day, ClassHistory::DAYS);
        let steady_percent = 100.0 * steady;
        let tenfold_percent = 100.0 * tenfold;
        println!("{a_day:>5}   {steady_percent:>11.3} %   {tenfold_percent:>6.1} %");
        // Three standard deviations above alpha.
        let chance = 3.0 * (Pattern::ALPHA / f64::from(STREAMS)).sqrt();
        assert!(steady < Pattern::ALPHA + chance, "{a_day}: {steady}");
    }
}
