//! Limits of callers: a quota of table units in ten seconds, for each organization, user and token.
//!
//! An instance counts the units of its requests after they end. After each hundredth of a quota, it adds
//! them to the sum of all instances in the table, beside the reads of the next request. So a request waits
//! for no further round trip, and a quiet caller costs no write. A holder whose sum has reached its quota
//! is refused without a read until the ten seconds are over.
//!
//! The sum never has more units than were used. So a caller below its quota is never refused. An instance
//! does not know the last hundredth of the others, nor requests that are under way: with `n` instances, up
//! to `n` hundredths and `n` requests more are served. If the table takes no charge, callers are served.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::future::join_all;
use model::{
    Clock, Error, OrganizationId, Timestamp,
    quota::{QuotaHolder, UnitsPerSecond, window},
};
use runtime::telemetry;
use store::{Store, units_so_far};
use tokio::time::timeout;

/// The part of a quota after which an instance charges it: one hundredth.
const PARTS: u32 = 100;

/// The longest that a request waits for a charge. It begins beside the reads of the caller.
const LONGEST: Duration = Duration::from_millis(500);

/// The quotas that an instance knows. Clones share them.
#[derive(Clone, Debug)]
pub struct Limits {
    store: Store,
    clock: Clock,
    known: Arc<Mutex<Known>>,
}

/// The use of quotas in ten seconds, as an instance knows it.
#[derive(Debug)]
struct Known {
    window: Timestamp,
    used: HashMap<QuotaHolder, Usage>,
}

/// The use of one quota.
#[derive(Debug)]
struct Usage {
    organization: OrganizationId,
    quota: u32,
    /// Units in the table, as far as this instance knows.
    charged: u32,
    /// Units of this instance that are not in the table.
    uncharged: f64,
}

/// Counts the units of a request when it is dropped, also of one that took too long.
#[derive(Debug)]
pub(super) struct Meter {
    limits: Limits,
    caller: Mutex<Option<Metered>>,
}

/// The holders that a request is counted for.
#[derive(Clone, Debug)]
struct Metered {
    caller: QuotaHolder,
    organization: OrganizationId,
    /// The plan, once the caller is authenticated. Only then the organization's quota counts: an ended
    /// session does not use it up.
    plan: Option<UnitsPerSecond>,
}

impl Usage {
    fn is_used_up(&self) -> bool {
        f64::from(self.charged) + self.uncharged >= f64::from(self.quota)
    }

    /// Takes the whole units to charge, if they are a hundredth of the quota.
    fn take_due(&mut self) -> Option<u32> {
        if self.uncharged < f64::from(self.quota.div_ceil(PARTS)) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is positive, and a cast saturates"
        )]
        let due = self.uncharged as u32;
        self.uncharged -= f64::from(due);
        self.charged = self.charged.saturating_add(due);
        Some(due)
    }
}

impl Known {
    fn at(now: Timestamp) -> Self {
        Self {
            window: window(now),
            used: HashMap::new(),
        }
    }

    /// Forgets the ten seconds before, with the units that were not charged.
    fn begin(&mut self, now: Timestamp) {
        if self.window != window(now) {
            *self = Self::at(now);
        }
    }

    /// The holder whose quota is used up, of the caller and the organization. Without an organization,
    /// that of the caller's earlier requests.
    fn used_up(
        &self,
        caller: &QuotaHolder,
        organization: Option<OrganizationId>,
    ) -> Option<(QuotaHolder, u32)> {
        let own = self.used.get(caller);
        let organization = organization.or_else(|| Some(own?.organization));
        let organization = organization.map(QuotaHolder::Organization);
        let mut holders = std::iter::once(caller).chain(&organization);
        holders.find_map(|holder| {
            let usage = self.used.get(holder)?;
            usage.is_used_up().then(|| (holder.clone(), usage.quota))
        })
    }

    fn take_due(&mut self, holder: &QuotaHolder) -> Option<u32> {
        self.used.get_mut(holder)?.take_due()
    }

    /// Learns the sum of all instances.
    fn learn(&mut self, holder: &QuotaHolder, window: Timestamp, sum: i64) {
        if self.window == window
            && let Some(usage) = self.used.get_mut(holder)
        {
            let sum = u32::try_from(sum).unwrap_or(u32::MAX);
            usage.charged = usage.charged.max(sum);
        }
    }

    /// Counts units of a request that has ended.
    fn count(&mut self, metered: Metered, units: f64) {
        let Metered {
            caller,
            organization,
            plan,
        } = metered;
        let of_organization = plan.map(|_| QuotaHolder::Organization(organization));
        for holder in std::iter::once(caller).chain(of_organization) {
            let quota = plan.unwrap_or_default().quota(&holder);
            let usage = self.used.entry(holder).or_insert(Usage {
                organization,
                quota,
                charged: 0,
                uncharged: 0.0,
            });
            if plan.is_some() {
                usage.quota = quota;
            }
            usage.uncharged += units;
        }
    }
}

impl Limits {
    /// No caller is known yet.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        let known = Known::at(clock.now());
        Self {
            store,
            clock,
            known: Arc::new(Mutex::new(known)),
        }
    }

    /// 429 if the quota of the caller or of the organization is used up, as far as this instance knows.
    /// Without an organization, that of the caller's earlier requests.
    pub(super) fn admit(
        &self,
        caller: &QuotaHolder,
        organization: Option<OrganizationId>,
    ) -> Result<(), Error> {
        match self.known().used_up(caller, organization) {
            Some((holder, quota)) => Err(holder.exhausted(quota, self.clock.now())),
            None => Ok(()),
        }
    }

    /// Charges what is due of the caller's and the organization's quota, and learns their sums.
    pub(super) async fn charge(&self, caller: &QuotaHolder, organization: OrganizationId) {
        let (window, due) = {
            let mut known = self.known();
            let holders = [caller.clone(), QuotaHolder::Organization(organization)];
            let due = holders.map(|holder| known.take_due(&holder).map(|units| (holder, units)));
            (known.window, due)
        };
        let charges = due.into_iter().flatten().map(async |(holder, units)| {
            let quotas = self.store.quotas();
            let charge = quotas.charge(organization, &holder, window, units.into());
            let sum = timeout(LONGEST, charge).await;
            let sum = sum.unwrap_or_else(|elapsed| {
                Err(Error::Unavailable {
                    what: "the sum of a quota",
                    source: elapsed.into(),
                })
            });
            match sum {
                Ok(sum) => self.known().learn(&holder, window, sum),
                Err(error) => telemetry::warn("a quota was not charged", &error),
            }
        });
        join_all(charges).await;
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // No change is half done, so that a panic leaves nothing wrong.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.begin(self.clock.now());
        known
    }
}

impl Meter {
    /// Counts a request whose caller is not known yet.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            caller: Mutex::default(),
        }
    }

    /// Counts the request for its caller.
    pub(super) fn caller(&self, caller: QuotaHolder, organization: OrganizationId) {
        *self.metered() = Some(Metered {
            caller,
            organization,
            plan: None,
        });
    }

    /// Counts it for the organization too, under its plan.
    pub(super) fn authenticated(&self, plan: UnitsPerSecond) {
        if let Some(metered) = &mut *self.metered() {
            metered.plan = Some(plan);
        }
    }

    fn metered(&self) -> MutexGuard<'_, Option<Metered>> {
        self.caller.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let metered = self.metered().take();
        if let Some(metered) = metered {
            self.limits.known().count(metered, units_so_far());
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{Id, UserId};

    use super::*;

    /// Instances and the sums in the table.
    struct Deployment {
        clock: Clock,
        instances: Vec<Known>,
        sums: HashMap<(QuotaHolder, Timestamp), i64>,
        charges: usize,
        random: u64,
    }

    const PLAN: u32 = 40;

    impl Deployment {
        fn new(instances: usize, seed: u64) -> Self {
            let clock = Clock::fixed("2026-01-15T12:00:00Z".parse().unwrap());
            let known = || Known::at(clock.now());
            Self {
                instances: std::iter::repeat_with(known).take(instances).collect(),
                clock,
                sums: HashMap::new(),
                charges: 0,
                random: seed,
            }
        }

        fn below(&mut self, most: u64) -> u64 {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005);
            self.random = self.random.wrapping_add(1_442_695_040_888_963_407);
            (self.random >> 33) % most
        }

        /// Sends a request to any instance. Returns the holder whose quota is used up, if it is refused.
        fn request(&mut self, caller: &Metered, units: f64) -> Option<QuotaHolder> {
            let now = self.clock.now();
            let place = self.below(self.instances.len() as u64);
            let instance = &mut self.instances[usize::try_from(place).unwrap()];
            instance.begin(now);
            let organization = Some(caller.organization);
            if let Some((holder, _)) = instance.used_up(&caller.caller, organization) {
                return Some(holder);
            }
            let of_organization = QuotaHolder::Organization(caller.organization);
            for holder in [&caller.caller, &of_organization] {
                if let Some(due) = instance.take_due(holder) {
                    let sum = self.sums.entry((holder.clone(), window(now))).or_default();
                    *sum += i64::from(due);
                    self.charges += 1;
                    instance.learn(holder, window(now), *sum);
                }
            }
            if let Some((holder, _)) = instance.used_up(&caller.caller, organization) {
                return Some(holder);
            }
            instance.count(caller.clone(), units);
            None
        }
    }

    fn caller(user: i64) -> Metered {
        Metered {
            caller: QuotaHolder::User(UserId::new(user).unwrap()),
            organization: OrganizationId::new(1).unwrap(),
            plan: UnitsPerSecond::new(PLAN),
        }
    }

    /// Half units, as the table counts them.
    fn units(deployment: &mut Deployment, most: u64) -> f64 {
        f64::from(u32::try_from(1 + deployment.below(2 * most)).unwrap()) / 2.0
    }

    #[test]
    fn a_caller_below_its_rate_is_never_refused() {
        for seed in 0..200 {
            let mut deployment = Deployment::new(1 + usize::try_from(seed % 7).unwrap(), seed);
            for _ in 0..20 {
                // Each of the four users has a quarter of the plan, which is 100 units in ten seconds.
                let mut left = [100.0; 4];
                let mut elapsed = 0;
                while elapsed < 9_900 {
                    let step = deployment.below(200);
                    elapsed += step;
                    deployment.clock.advance(i64::try_from(step).unwrap());
                    let user = usize::try_from(deployment.below(4)).unwrap();
                    let units = units(&mut deployment, 12);
                    if units < left[user] {
                        left[user] -= units;
                        let caller = caller(i64::try_from(user).unwrap() + 1);
                        assert_eq!(deployment.request(&caller, units), None, "seed {seed}");
                    }
                }
                let rest = 10_000 - i64::try_from(elapsed).unwrap().rem_euclid(10_000);
                deployment.clock.advance(rest);
            }
            assert!(deployment.charges > 100, "{}", deployment.charges);
        }
    }

    #[test]
    fn a_greedy_caller_gets_its_quota_and_little_more() {
        for seed in 0..50 {
            let instances = 1 + u32::try_from(seed % 7).unwrap();
            let mut deployment = Deployment::new(usize::try_from(instances).unwrap(), seed);
            for _ in 0..5 {
                let mut served = 0.0;
                for _ in 0..400 {
                    let units = units(&mut deployment, 12);
                    if deployment.request(&caller(1), units).is_none() {
                        served += units;
                    }
                }
                // A hundredth of the quota, and the last request of each instance.
                let most = 100.0 + f64::from(instances) * (1.0 + 12.0);
                assert!((100.0..=most).contains(&served), "{served} of {instances}");
                deployment.clock.advance(10_000);
            }
        }
    }

    #[test]
    fn an_organization_is_refused_together() {
        let mut deployment = Deployment::new(1, 7);
        for user in 1..=5 {
            for _ in 0..9 {
                let refused = deployment.request(&caller(user), 10.0);
                let organization = QuotaHolder::Organization(OrganizationId::new(1).unwrap());
                let expected = (user == 5 && deployment.sums.len() > 1).then_some(organization);
                if user < 5 {
                    assert_eq!(refused, None);
                } else if refused.is_some() {
                    assert_eq!(refused, expected);
                    return;
                }
            }
        }
        panic!("450 units of 400 were served");
    }

    #[test]
    fn an_ended_session_does_not_use_the_organization_up() {
        let mut deployment = Deployment::new(1, 7);
        let ended = Metered {
            plan: None,
            ..caller(1)
        };
        while deployment.request(&ended, 100.0).is_none() {}
        assert_eq!(deployment.request(&caller(2), 1.0), None);
    }
}
