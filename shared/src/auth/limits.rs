//! Limits of callers: a quota of table units for each organization, user and token.
//!
//! A quota is a bucket that fills evenly: used units are free again after their share of ten
//! seconds. So a holder may use it at once, and then gets a tenth a second. No burst of it comes
//! back with each window.
//!
//! An instance counts the units of its requests after they end. After each hundredth of a quota, it
//! charges them in the table, beside the reads of the next request, and learns what all instances
//! have charged. So a request waits for no further round trip, and a quiet caller costs no write. A
//! holder whose quota is used is refused without a read until units are free.
//!
//! The table never has more than was used. So a holder with units left is never refused. An
//! instance does not know the last hundredth of the others, nor requests that are under way: with
//! `n` instances, up to `n` hundredths and `n` requests more are served. If the table takes no
//! charge, callers are served.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::future::join_all;
use model::base::{
    Clock, Error, OrganizationId, Timestamp,
    quota::{LONGEST, QuotaHolder, UnitsPerSecond, WINDOW, time_of, units_of},
};
use runtime::telemetry;
use store::{base::Store, units_so_far};
use tokio::time::{error::Elapsed, timeout};

use crate::problem::{QuotaHeaders, quota_headers};

/// The time of a quota after which an instance charges it: one hundredth.
const PART: Duration = Duration::from_millis(100);

/// The longest that a request waits for a charge. It begins beside the reads of the caller.
const PATIENCE: Duration = Duration::from_millis(500);

/// The quotas that an instance knows. Clones share them.
#[derive(Clone, Debug)]
pub struct KnownQuotas {
    store: Store,
    clock: Clock,
    known: Arc<Mutex<Known>>,
}

/// The use of quotas, as an instance knows it.
#[derive(Debug)]
struct Known {
    used: HashMap<QuotaHolder, Usage>,
    /// The time of the last purge of free quotas.
    forgot_at: Timestamp,
}

#[derive(Debug)]
struct Usage {
    organization: OrganizationId,
    quota: u32,
    /// The time that was used and is not free again, at `at`.
    used: Duration,
    at: Timestamp,
    /// The part of it that the table does not have, from requests of this instance.
    uncharged: Duration,
    /// The instant until which the quota is used by the last charge.
    charged_until: Option<Timestamp>,
}

/// Usage not yet charged, and `used_until` from the last charge.
type Charge = (Duration, Option<Timestamp>);

/// Counts the units of a request when it is dropped, also of one that took too long.
#[derive(Debug)]
pub(super) struct Meter {
    limits: KnownQuotas,
    caller: Mutex<Option<Metered>>,
}

/// The holders that a request is counted for.
#[derive(Clone, Debug)]
struct Metered {
    caller: QuotaHolder,
    organization: OrganizationId,
    /// The plan, once the caller is authenticated. Only then the quotas of user and organization
    /// count: an ended session does not use them up.
    plan: Option<UnitsPerSecond>,
}

impl Usage {
    const fn new(organization: OrganizationId, quota: u32, at: Timestamp) -> Self {
        Self {
            organization,
            quota,
            used: Duration::ZERO,
            at,
            uncharged: Duration::ZERO,
            charged_until: None,
        }
    }

    /// Frees what time has freed since the last call.
    fn at(&mut self, now: Timestamp) -> &mut Self {
        let elapsed = now.since(self.at).max(0).unsigned_abs();
        self.used = self
            .used
            .saturating_sub(Duration::from_millis(elapsed));
        self.uncharged = self.uncharged.min(self.used);
        self.at = now;
        self
    }

    fn count(&mut self, units: f64) {
        let time = time_of(units, self.quota);
        self.used = self
            .used
            .saturating_add(time)
            .min(LONGEST);
        self.uncharged = self
            .uncharged
            .saturating_add(time)
            .min(self.used);
    }

    /// Takes the time to charge, if it is a hundredth of the quota.
    fn take_due(&mut self) -> Option<Charge> {
        if self.uncharged < PART {
            return None;
        }
        // The table counts whole milliseconds.
        let rest = Duration::from_nanos((self.uncharged.subsec_nanos() % 1_000_000).into());
        let due = std::mem::replace(&mut self.uncharged, rest).saturating_sub(rest);
        Some((due, self.charged_until))
    }

    /// Learns until when all instances have used the quota.
    fn learn(&mut self, until: Timestamp) {
        let others = until
            .since(self.at)
            .max(0)
            .unsigned_abs();
        let used = Duration::from_millis(others).saturating_add(self.uncharged);
        self.used = self.used.max(used).min(LONGEST);
        self.charged_until = Some(until);
    }
}

impl Known {
    fn new(forgot_at: Timestamp) -> Self {
        let used = HashMap::new();
        Self { used, forgot_at }
    }

    /// Forgets the quotas that are free again, once in ten seconds.
    fn forget(&mut self, now: Timestamp) {
        let elapsed = now.since(self.forgot_at).unsigned_abs();
        if Duration::from_millis(elapsed) >= WINDOW {
            self.used
                .retain(|_, usage| !usage.at(now).used.is_zero());
            self.forgot_at = now;
        }
    }

    /// 429 if the quota of the caller or the organization is used. Without an organization, that of
    /// the caller's earlier requests counts.
    fn admit(
        &mut self,
        caller: &QuotaHolder,
        organization: Option<OrganizationId>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let own = self.used.get(caller);
        let of = organization.or_else(|| Some(own?.organization));
        for holder in std::iter::once(caller).chain(&of.map(QuotaHolder::Organization)) {
            if let Some(usage) = self.used.get_mut(holder) {
                let used = usage.at(now).used;
                if used >= WINDOW {
                    return Err(holder.exhausted(usage.quota, used));
                }
            }
        }
        Ok(())
    }

    /// The more used quota of the caller's and the organization's, if half of it is used: the
    /// holder's policy, the quota and the time that is used.
    fn half_used(
        &mut self,
        metered: &Metered,
        now: Timestamp,
    ) -> Option<(&'static str, u32, Duration)> {
        let of_organization = QuotaHolder::Organization(metered.organization);
        let mut most = None;
        for holder in [&metered.caller, &of_organization] {
            if let Some(usage) = self.used.get_mut(holder) {
                let used = usage.at(now).used;
                let is_more = most.is_none_or(|(_, _, most)| used > most);
                if used >= WINDOW / 2 && is_more {
                    most = Some((holder.policy(), usage.quota, used));
                }
            }
        }
        most
    }

    fn take_due(&mut self, holder: &QuotaHolder, now: Timestamp) -> Option<Charge> {
        self.used
            .get_mut(holder)?
            .at(now)
            .take_due()
    }

    fn learn(&mut self, holder: &QuotaHolder, until: Timestamp, now: Timestamp) {
        if let Some(usage) = self.used.get_mut(holder) {
            usage.at(now).learn(until);
        }
    }

    /// Counts units of a request that has ended.
    fn count(&mut self, metered: Metered, units: f64, now: Timestamp) {
        let organization = metered.organization;
        let plan = metered.plan;
        let of_organization = plan.map(|_| QuotaHolder::Organization(organization));
        for holder in std::iter::once(metered.caller).chain(of_organization) {
            let quota = plan.unwrap_or_default().quota(&holder);
            let new = Usage::new(organization, quota, now);
            let usage = self.used.entry(holder).or_insert(new);
            if plan.is_some() {
                usage.quota = quota;
            }
            usage.at(now).count(units);
        }
    }
}

impl KnownQuotas {
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            known: Arc::new(Mutex::new(Known::new(clock.now()))),
            clock,
        }
    }

    /// 429 if the quota of the caller or of the organization is used, as far as this instance
    /// knows. Without an organization, that of the caller's earlier requests counts.
    pub(super) fn admit(
        &self,
        caller: &QuotaHolder,
        organization: Option<OrganizationId>,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        self.known(now)
            .admit(caller, organization, now)
    }

    /// Charges the due time of the callers and the organization, and learns the charges of other
    /// instances.
    pub(super) async fn charge(&self, callers: &[QuotaHolder], organization: OrganizationId) {
        let of_organization = QuotaHolder::Organization(organization);
        let holders = callers.iter().chain([&of_organization]);
        let due: Vec<_> = {
            let now = self.clock.now();
            let mut quotas = self.known(now);
            holders
                .filter_map(|holder| Some((holder.clone(), quotas.take_due(holder, now)?)))
                .collect()
        };
        let late = |elapsed: Elapsed| Error::Unavailable {
            what: "the use of a quota",
            source: elapsed.into(),
        };
        let charges = due.into_iter();
        let charges = charges.map(async |(holder, (time, charged_until))| {
            let quotas = self.store.quotas();
            let charge = quotas.charge(organization, &holder, charged_until, time);
            match timeout(PATIENCE, charge)
                .await
                .map_err(late)
                .flatten()
            {
                Ok(until) => {
                    let now = self.clock.now();
                    self.known(now)
                        .learn(&holder, until, now);
                }
                Err(error) => telemetry::warn("a quota was not charged", &error),
            }
        });
        join_all(charges).await;
    }

    fn known(&self, now: Timestamp) -> MutexGuard<'_, Known> {
        // No change is half done, so that a panic leaves nothing wrong.
        let mut quotas = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        quotas.forget(now);
        quotas
    }
}

impl Meter {
    /// Counts a request whose caller is not known yet.
    pub(super) fn new(limits: KnownQuotas) -> Self {
        Self {
            limits,
            caller: Mutex::default(),
        }
    }

    pub(super) fn caller(&self, caller: QuotaHolder, organization: OrganizationId) {
        *self.metered() = Some(Metered {
            caller,
            organization,
            plan: None,
        });
    }

    /// Counts it for the authenticated caller and the organization, under its plan.
    pub(super) fn authenticated(&self, caller: QuotaHolder, plan: UnitsPerSecond) {
        if let Some(metered) = &mut *self.metered() {
            metered.caller = caller;
            metered.plan = Some(plan);
        }
    }

    /// The headers of the caller's quota, once half of it is used by what this instance knows. None
    /// before the caller is authenticated.
    pub(super) fn headers(&self) -> Option<QuotaHeaders> {
        let metered = self.metered().clone()?;
        metered.plan?;
        let now = self.limits.clock.now();
        let (policy, quota, used) = self
            .limits
            .known(now)
            .half_used(&metered, now)?;
        let left = units_of(WINDOW.saturating_sub(used), quota);
        let until_free = u64::try_from(used.as_millis().div_ceil(1_000)).unwrap_or(u64::MAX);
        Some(quota_headers(policy, quota, left, until_free))
    }

    fn metered(&self) -> MutexGuard<'_, Option<Metered>> {
        self.caller
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let metered = self.metered().take();
        if let Some(metered) = metered {
            let now = self.limits.clock.now();
            let mut quotas = self.limits.known(now);
            quotas.count(metered, units_so_far(), now);
        }
    }
}

#[cfg(test)]
mod tests {
    use model::base::{Id, UserId};

    use super::*;

    /// Instances, their table, and the true usage.
    struct Deployment {
        clock: Clock,
        instances: Vec<Instance>,
        table: Charges,
        truth: HashMap<&'static str, Usage>,
        random: u64,
    }

    struct Instance {
        known: Known,
        /// Milliseconds that its clock is ahead.
        ahead: i64,
    }

    /// For each holder, until when its quota is used, and when it was charged.
    #[derive(Default)]
    struct Charges {
        of: HashMap<QuotaHolder, (Timestamp, Timestamp)>,
        count: usize,
    }

    impl Charges {
        /// Charges as the store does.
        fn charge(&mut self, holder: &QuotaHolder, charge: Charge, now: Timestamp) -> Timestamp {
            let (time, known_until) = charge;
            let is_ahead = known_until.is_some_and(|until| until > now);
            let charged = self
                .of
                .get(holder)
                .filter(|(until, charged_at)| {
                    (is_ahead || *until >= now) && *charged_at < now.plus(2_000)
                });
            let from = charged.map_or(now, |(until, _)| *until);
            let until = from.plus(i64::try_from(time.as_millis()).unwrap());
            self.of
                .insert(holder.clone(), (until, now));
            self.count += 1;
            until
        }
    }

    impl Instance {
        /// Serves a request, or refuses it.
        fn request(
            &mut self,
            table: &mut Charges,
            caller: &Metered,
            units: f64,
            now: Timestamp,
        ) -> Result<(), Error> {
            let now = now.plus(self.ahead);
            let quotas = &mut self.known;
            let organization = Some(caller.organization);
            quotas.forget(now);
            quotas.admit(&caller.caller, organization, now)?;
            for holder in holders(caller) {
                if let Some(due) = quotas.take_due(&holder, now) {
                    quotas.learn(&holder, table.charge(&holder, due, now), now);
                }
            }
            quotas.admit(&caller.caller, organization, now)?;
            quotas.count(caller.clone(), units, now);
            Ok(())
        }
    }

    fn holders(metered: &Metered) -> [QuotaHolder; 2] {
        let organization = QuotaHolder::Organization(metered.organization);
        [metered.caller.clone(), organization]
    }

    impl Deployment {
        fn new(instances: usize, seed: u64) -> Self {
            let clock = Clock::fixed("2026-01-15T12:00:00Z".parse().unwrap());
            let instance = || Instance {
                known: Known::new(clock.now()),
                ahead: 0,
            };
            Self {
                instances: std::iter::repeat_with(instance)
                    .take(instances)
                    .collect(),
                clock,
                table: Charges::default(),
                truth: HashMap::new(),
                random: seed,
            }
        }

        fn below(&mut self, most: u32) -> u32 {
            self.random = self
                .random
                .wrapping_mul(6_364_136_223_846_793_005);
            self.random = self
                .random
                .wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((self.random >> 33) % u64::from(most)).unwrap()
        }

        /// Lets up to so many milliseconds pass.
        fn pass(&mut self, most: u32) -> u32 {
            let passed = self.below(most);
            self.clock.advance(passed.into());
            passed
        }

        /// Half to 12 units, as the table counts them.
        fn units(&mut self) -> f64 {
            f64::from(1 + self.below(24)) / 2.0
        }

        /// Sends a request to any instance. Returns what is refused: a user or the organization.
        fn request(&mut self, caller: &Metered, units: f64) -> Result<(), &'static str> {
            let place = usize::try_from(self.below(1_000)).unwrap() % self.instances.len();
            let now = self.clock.now();
            let sent = self.instances[place].request(&mut self.table, caller, units, now);
            sent.map_err(|error| match error {
                Error::RateLimited { policy, .. } => policy,
                other => panic!("{other}"),
            })
        }

        /// As [`request`](Self::request). A refused one must have nothing left.
        fn truly(&mut self, caller: &Metered, units: f64) -> Result<(), &'static str> {
            let sent = self.request(caller, units);
            let now = self.clock.now();
            let plan = caller.plan.unwrap();
            for holder in holders(caller) {
                let new = Usage::new(caller.organization, plan.quota(&holder), now);
                let usage = self
                    .truth
                    .entry(holder.policy())
                    .or_insert(new)
                    .at(now);
                match sent {
                    Ok(()) => usage.count(units),
                    Err(refused) if refused == holder.policy() => {
                        assert!(usage.used >= WINDOW, "{refused} has used {:?}", usage.used);
                    }
                    Err(_) => {}
                }
            }
            sent
        }
    }

    /// A user of a plan with 100 units in ten seconds for a user, and 400 for the organization.
    fn caller(user: i64) -> Metered {
        Metered {
            caller: QuotaHolder::User(UserId::new(user).unwrap()),
            organization: OrganizationId::new(1).unwrap(),
            plan: UnitsPerSecond::new(40),
        }
    }

    #[test]
    fn a_caller_with_units_left_is_never_refused() {
        for seed in 0..200 {
            let mut deployment = Deployment::new(1 + usize::try_from(seed % 7).unwrap(), seed);
            let mut refused = 0;
            for _ in 0..20 {
                // Bursts and pauses.
                for _ in 0..60 {
                    deployment.pass(300);
                    let units = deployment.units();
                    refused += usize::from(
                        deployment
                            .truly(&caller(1), units)
                            .is_err(),
                    );
                }
                deployment.pass(20_000);
            }
            assert!(refused > 20, "{refused}");
            assert!(deployment.table.count > 100, "{}", deployment.table.count);
        }
    }

    #[test]
    fn a_greedy_caller_gets_its_quota_and_then_an_even_part() {
        for seed in 0..50 {
            let instances = 1 + u32::try_from(seed % 7).unwrap();
            let mut deployment = Deployment::new(usize::try_from(instances).unwrap(), seed);
            // What each instance serves beyond: a hundredth of the quota, and its last request.
            let beyond = f64::from(instances) * (1.0 + 12.0);
            let mut served = Vec::new();
            for _ in 0..30 {
                let mut second = 0.0;
                let mut elapsed = 0;
                while elapsed < 1_000 {
                    let units = deployment.units();
                    let sent = deployment.request(&caller(1), units);
                    second += if sent.is_ok() { units } else { 0.0 };
                    elapsed += deployment.pass(20);
                }
                served.push(second);
            }
            // The quota, and a tenth of it in each second.
            let total: f64 = served.iter().sum();
            assert!((390.0..410.0 + beyond).contains(&total), "{served:?}");
            let first: f64 = served[..10].iter().sum();
            assert!((190.0..210.0 + beyond).contains(&first), "{served:?}");
            let most = served[10..]
                .iter()
                .copied()
                .fold(0.0, f64::max);
            assert!(most <= 11.0 + beyond, "{served:?}");
        }
    }

    #[test]
    fn a_wrong_clock_refuses_no_quiet_caller() {
        for seed in 0..50 {
            for ahead in [-120_000, -3_000, 3_000, 120_000] {
                let mut deployment = Deployment::new(3, seed);
                deployment.instances[0].ahead = ahead;
                for _ in 0..500 {
                    // About 6 units a second, of 10.
                    deployment.pass(2_000);
                    let units = deployment.units();
                    assert_eq!(deployment.request(&caller(1), units), Ok(()), "{ahead} ms");
                }
            }
        }
    }

    #[test]
    fn an_organization_is_refused_together() {
        let mut deployment = Deployment::new(1, 7);
        for request in 0..36 {
            assert_eq!(deployment.request(&caller(1 + request / 9), 10.0), Ok(()));
        }
        let sent = |_| deployment.request(&caller(5), 10.0);
        assert_eq!((0..9).map(sent).find_map(Result::err), Some("organization"));
    }

    #[test]
    fn an_ended_session_does_not_use_the_organization_up() {
        let mut deployment = Deployment::new(1, 7);
        let mut ended = caller(1);
        ended.plan = None;
        while deployment
            .request(&ended, 100.0)
            .is_ok()
        {}
        assert_eq!(deployment.request(&caller(2), 1.0), Ok(()));
    }

    #[test]
    fn quotas_that_are_free_again_are_forgotten() {
        let mut deployment = Deployment::new(1, 7);
        for user in 1..=9 {
            deployment
                .request(&caller(user), 1.0)
                .unwrap();
            deployment.clock.advance(11_000);
        }
        assert_eq!(deployment.instances[0].known.used.len(), 2);
    }
}
