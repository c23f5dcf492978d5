//! The managed-services dashboard: the newest records and the metrics of an organization.

use std::collections::HashMap;

use model::{Activity, Error, OrganizationId, ServiceRequest, Ticket, UserRef};
use serde::de::DeserializeOwned;

use super::{
    key::{self, Gsi1, List},
    store::resource,
    table::{Read, Stored},
};

/// Rows of each list.
const NEWEST: usize = 20;

/// The dashboard of an organization.
#[derive(Clone, Debug)]
pub struct Dashboard {
    /// The 20 newest, by creation.
    pub service_requests: Vec<Stored<ServiceRequest>>,
    /// The 20 newest, by creation.
    pub tickets: Vec<Stored<Ticket>>,
    /// The metrics.
    pub metrics: Metrics,
    /// The 20 newest, by their time.
    pub activities: Vec<FeedItem>,
}

/// The metrics of an organization.
#[derive(Clone, Copy, Debug)]
pub struct Metrics {
    /// Projects with status active.
    pub active_engagements: i64,
    /// Mean hours from creation to resolution of the requests and tickets that were resolved on
    /// the last 90 days (UTC, today included); 0 when none was.
    pub resolution_hours: f64,
    /// Manual minutes that the agent's automated actions saved.
    pub minutes_saved: i64,
}

/// An activity with its creator.
#[derive(Clone, Debug)]
pub struct FeedItem {
    /// The activity.
    pub activity: Activity,
    /// The user who recorded it; `None` when the account is gone.
    pub creator: Option<UserRef>,
}

resource! {
    /// The managed-services dashboard.
    pub Dashboards as dashboard
}

impl Dashboards<'_> {
    /// An organization's dashboard.
    pub async fn of(&self, tenant: OrganizationId) -> Result<Dashboard, Error> {
        let totals_key = key::totals(tenant);
        let (service_requests, tickets, activities, totals, resolution_hours) = tokio::try_join!(
            self.newest(key::service_requests(tenant)),
            self.newest(key::tickets(tenant)),
            self.newest(key::activities(tenant)),
            self.0.table.get(&totals_key, Read::Eventual),
            self.0.mean_resolution_hours(tenant),
        )?;
        let totals = totals.map(|totals| totals.record).unwrap_or_default();
        Ok(Dashboard {
            service_requests,
            tickets,
            metrics: Metrics {
                active_engagements: totals.active_projects,
                resolution_hours: resolution_hours.unwrap_or(0.0),
                minutes_saved: totals.minutes_saved,
            },
            activities: self.with_creators(tenant, activities).await?,
        })
    }

    async fn newest<R: DeserializeOwned>(
        &self,
        by_time: List<R, Gsi1>,
    ) -> Result<Vec<Stored<R>>, Error> {
        let newest = by_time.descending().limit(NEWEST);
        let newest = self.0.table.list_stored(newest).await?;
        let texts = self.0.texts(&newest).await?;
        let complete = newest.into_iter().map(|stored| texts.complete(stored));
        Ok(complete.filter_map(Result::ok).collect())
    }

    async fn with_creators(
        &self,
        tenant: OrganizationId,
        activities: Vec<Stored<Activity>>,
    ) -> Result<Vec<FeedItem>, Error> {
        let creators = activities.iter().map(|activity| activity.creator_id);
        let users: HashMap<_, UserRef> = self.0.users(tenant, creators).await?;
        let item = |activity: Stored<Activity>| FeedItem {
            creator: users.get(&activity.creator_id).cloned(),
            activity: activity.record,
        };
        Ok(activities.into_iter().map(item).collect())
    }
}
