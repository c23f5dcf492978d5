//! The managed-services dashboard: the newest records and the metrics of an organization.

use model::{
    base::{ActivityId, Content, OrOther, OrganizationId, ProjectId, Slug, Timestamp},
    people::UserRef,
    work::{Activity, ActivityType},
};
use serde::{Serialize, de::DeserializeOwned};
use table::{Gsi1, Read, RecordList, page::PageRequest};
use utoipa::ToSchema;

use crate::{
    Result,
    base::{InScope, Reader, named::Names, scope::Placed, store::resource},
    key,
    work::{TaggedRequest, TaggedTicket},
};

/// Rows of each list.
const NEWEST: usize = 20;

#[derive(Clone, Debug)]
pub struct Dashboard {
    /// The 20 newest, by creation.
    pub service_requests: Vec<TaggedRequest>,
    /// The 20 newest, by creation.
    pub tickets: Vec<TaggedTicket>,
    pub metrics: Metrics,
    /// The 20 newest, by their time.
    pub activities: Vec<FeedItem>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Number of projects with the status `active`.
    active_engagements: i64,
    /// Mean hours from creation to resolution of the service requests and tickets that were
    /// resolved on the last 90 days (UTC, today included), to two decimals. 0 if there were none.
    avg_resolution_time: f64,
    /// Hours of manual work that automated actions saved, to two decimals. `hours-saved` lists the
    /// actions.
    hours_saved: f64,
}

/// An activity as the dashboard shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedItem {
    id: ActivityId,
    #[serde(rename = "type")]
    #[schema(value_type = ActivityType)]
    kind: OrOther<ActivityType>,
    subtype: Option<Slug>,
    description: Content,
    timestamp: Timestamp,
    project_id: Option<ProjectId>,
    organization_id: OrganizationId,
    creator: Option<UserRef>,
}

resource! { pub Dashboards as dashboard }

impl Dashboards<'_> {
    pub async fn of(&self, reader: &Reader) -> Result<Dashboard> {
        let tenant = reader.tenant;
        let totals_key = key::totals(tenant);
        let (service_requests, tickets, activities, totals, resolution_hours) = tokio::try_join!(
            self.newest(reader, key::service_requests(tenant)),
            self.newest(reader, key::tickets(tenant)),
            self.newest(reader, key::activities(tenant)),
            self.0
                .table
                .get(&totals_key, Read::Eventual),
            self.0.mean_resolution_hours(tenant),
        )?;
        let totals = totals
            .map(|totals| totals.record)
            .unwrap_or_default();
        let creators = activities
            .iter()
            .map(|activity| activity.creator_id);
        let requests = service_requests.iter();
        let tags = requests.map(|request| &request.tag_ids);
        let tags = tags.chain(
            tickets
                .iter()
                .map(|ticket| &ticket.tag_ids),
        );
        let ids = Names::of_tags(tags).and_users(creators);
        let named = self.0.named(tenant, ids).await?;
        let item = |record: Activity| FeedItem {
            id: record.id,
            kind: record.kind,
            subtype: record.subtype,
            description: record.description,
            timestamp: record.timestamp,
            project_id: record.project_id,
            organization_id: record.organization_id,
            creator: named
                .users
                .get(&record.creator_id)
                .cloned(),
        };
        Ok(Dashboard {
            service_requests: service_requests
                .into_iter()
                .map(|request| TaggedRequest::new(request, &named))
                .collect(),
            tickets: tickets
                .into_iter()
                .map(|ticket| TaggedTicket::new(ticket, &named))
                .collect(),
            metrics: Metrics {
                active_engagements: totals.active_projects,
                avg_resolution_time: two_decimals(resolution_hours.unwrap_or(0.0)),
                hours_saved: two_decimals(hours(totals.minutes_saved)),
            },
            activities: activities
                .into_iter()
                .map(|activity| item(activity.into_stored().record))
                .collect(),
        })
    }

    async fn newest<R: DeserializeOwned + Placed>(
        &self,
        reader: &Reader,
        by_time: RecordList<R, Gsi1>,
    ) -> Result<Vec<InScope<R>>> {
        let newest_first = by_time.descending();
        let read = |wanted: PageRequest| {
            let records = newest_first.clone();
            async move {
                let page = self.0.table.page(records, &wanted);
                self.0.whole_page(page.await?).await
            }
        };
        let wanted = PageRequest::first(NEWEST);
        let newest = self
            .0
            .scoped()
            .filled_page(reader, &wanted, read)
            .await?;
        let rows = newest.rows.into_iter();
        Ok(rows.map(|row| row.record).collect())
    }
}

fn hours(minutes: i64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "no organization saves 2^53 minutes"
    )]
    let minutes = minutes as f64;
    minutes / 60.0
}

fn two_decimals(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
