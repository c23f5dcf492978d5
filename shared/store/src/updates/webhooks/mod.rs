mod attempts;
mod deliveries;
mod events;

use model::{
    base::{Code, Error, Id, WebhookId},
    people::{EntryContent, OrganizationEvent},
    updates::{DisabledReason, Webhook, WebhookCreate, WebhookHealth, WebhookUpdate},
};
use table::{
    Condition, OrNotFound, Read, Record, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, WriteContext,
        record::{any_keys, record},
        records::ReadHead,
        store::{resource, too_many},
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
};

pub use attempts::{Attempt, Begun};
pub use events::WebhookEvent;

resource! { pub Webhooks as webhooks }

record! {
    webhook: Webhook, id: WebhookId,
    hidden: ["organizationId", "generation", "rotatedAt", "version"],
}

record! {
    health: WebhookHealth = "webhook_health",
    key: key::webhook_health(health.organization_id, health.webhook_id),
}

impl Tracked for Webhook {
    const IS_JOURNALED: bool = true;

    fn entry_of_new(&self) -> Option<EntryContent> {
        let event = OrganizationEvent::WebhookCreated;
        Some(EntryContent::created(event, self))
    }

    fn entry_of_change(before: &Self, after: &Self) -> Option<EntryContent> {
        let event = if before.generation == after.generation {
            OrganizationEvent::WebhookChanged
        } else {
            OrganizationEvent::WebhookSecretRotated
        };
        EntryContent::changed(event, before, after)
    }
}

/// A webhook with the results of its deliveries.
#[derive(Clone, Debug)]
pub struct WebhookWithHealth {
    pub webhook: Stored<Webhook>,
    pub health: WebhookHealth,
}

impl WebhookWithHealth {
    fn new(webhook: Stored<Webhook>, health: Option<Stored<WebhookHealth>>) -> Self {
        let health = health.map(|health| health.record);
        let health = health.unwrap_or_else(|| WebhookHealth::of(&webhook));
        Self { webhook, health }
    }
}

impl Webhooks<'_> {
    /// Returns the organization's webhooks by id.
    pub async fn list(
        &self,
        tenant: Tenant,
        wanted: &PageRequest,
    ) -> Result<Page<WebhookWithHealth>> {
        let page = self
            .0
            .table
            .page(key::webhooks(tenant), wanted)
            .await?;
        let ids = page
            .rows
            .iter()
            .map(|row| row.record.id);
        let key = |id| key::webhook_health(tenant, id);
        let batch = self
            .0
            .table
            .batch_get(ids.map(key), Read::Eventual)
            .await?;
        Ok(page.map(|webhook: Stored<Webhook>| {
            let health = batch.named(&key(webhook.id));
            WebhookWithHealth::new(webhook, health)
        }))
    }

    /// Returns a webhook. 404 if it is another tenant's.
    pub async fn get(&self, tenant: Tenant, id: WebhookId) -> Result<WebhookWithHealth> {
        let webhook = id.key(tenant);
        let health = key::webhook_health(tenant, id);
        let batch = self
            .0
            .batch(any_keys![&webhook, &health])
            .await?;
        let webhook = batch
            .get(&webhook)?
            .or_not_found(WebhookId::NOUN)?;
        Ok(WebhookWithHealth::new(webhook, batch.get(&health)?))
    }

    /// Creates a webhook. 409 if the organization has [`Webhook::MOST`].
    pub async fn create(
        &self,
        pending: impl Pending,
        create: WebhookCreate,
    ) -> Result<InScope<Webhook>> {
        let new = |context: &WriteContext, id, (), now| {
            let webhook = Webhook::new(id, context.tenant, create, now);
            let mut writes = Writes::from(Write::create(&WebhookHealth::of(&webhook))?);
            let ids = UpdateExpression::default().put_in_set(IDS, id);
            let room = Condition::default().set_below(IDS, Webhook::MOST);
            let count = Write::update(key::webhook_ids(context.tenant), ids, room);
            let most = format_args!("The organization has {} webhooks", Webhook::MOST);
            writes.push_or(count, too_many(Code::TooManyWebhooks, most));
            Ok((webhook, writes))
        };
        let nothing = std::future::ready(Ok(()));
        self.0
            .create(pending, nothing, new)
            .await
    }

    /// Changes a webhook. One that is enabled, or has another URL, has not failed before. 404 if it
    /// is another tenant's.
    pub async fn update(
        &self,
        pending: impl Pending,
        id: WebhookId,
        update: WebhookUpdate,
    ) -> Result<WebhookWithHealth> {
        let change = |context: &WriteContext, webhook: &mut Webhook, now| {
            let was_enabled = webhook.enabled;
            let url = webhook.url.clone();
            webhook.update(update.clone(), now);
            let mut writes = Writes::default();
            if (webhook.enabled && !was_enabled) || webhook.url != url {
                let forgotten = [FAILING_SINCE, LAST_FAILURE_AT, NEXT_SLOT_AT].into_iter();
                let forgotten =
                    forgotten.fold(UpdateExpression::default(), UpdateExpression::remove);
                let key = key::webhook_health(context.tenant, id);
                writes.push(Write::update(key, forgotten, Condition::exists()));
            }
            Ok(writes)
        };
        let updated = self.0.update(pending, id, change);
        self.with_health(updated.await?.into_stored())
            .await
    }

    /// Returns a webhook with the results of its deliveries, as they are now.
    async fn with_health(&self, webhook: Stored<Webhook>) -> Result<WebhookWithHealth> {
        let key = key::webhook_health(webhook.organization_id, webhook.id);
        let health = self.0.read(&key).await?;
        Ok(WebhookWithHealth::new(webhook, health))
    }

    /// Disables a webhook on behalf of the service, unless it is disabled or gone.
    pub(crate) async fn disable(
        &self,
        tenant: Tenant,
        id: WebhookId,
        reason: DisabledReason,
    ) -> Result<()> {
        let webhook = self.0.read(&id.key(tenant)).await?;
        if !webhook.is_some_and(|webhook| webhook.enabled) {
            return Ok(());
        }
        let change = |_: &WriteContext, webhook: &mut Webhook, now| {
            webhook.disable(reason, now);
            Ok(Writes::default())
        };
        match self.0.update(tenant, id, change).await {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Begins a new generation of a webhook's secret. A replay begins none. 404 if it is another
    /// tenant's.
    pub async fn rotate_secret(
        &self,
        pending: impl Pending,
        id: WebhookId,
    ) -> Result<WebhookWithHealth> {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let read = || self.0.with_head(&key, tenant);
        let write = async |context: WriteContext, (webhook, head): (Option<_>, ReadHead)| {
            let context = context.with_head(head);
            let before: Stored<Webhook> = context.current(webhook, WebhookId::NOUN)?;
            let mut after = before.clone();
            after.rotate(self.0.now());
            let entry = Webhook::entry_of_change(&before, &after);
            let writes = Writes::from(Write::replace(&after)?).noting(entry);
            self.0
                .commit(&context, writes, after.replaced())
                .await
        };
        let rotated = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |_| self.0.get(tenant, id).await;
        self.with_health(rotated.or_load(load).await?)
            .await
    }

    /// Deletes a webhook. Its deliveries are made no more, and expire. 404 if it is another
    /// tenant's.
    pub async fn delete(&self, pending: impl Pending, id: WebhookId) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let read = || self.0.with_head(&key, tenant);
        let write = async |context: WriteContext, (webhook, head): (Option<_>, ReadHead)| {
            let context = context.with_head(head);
            let webhook: Stored<Webhook> = context.current(webhook, WebhookId::NOUN)?;
            let health = key::webhook_health(tenant, id);
            let ids = UpdateExpression::default().take_from_set(IDS, id);
            let writes = Writes::from(vec![
                Write::delete(webhook.key(), Condition::version(webhook.version)),
                Write::delete(health, Condition::default()),
                Write::update(key::webhook_ids(tenant), ids, Condition::exists()),
            ]);
            let entry = EntryContent::deleted(OrganizationEvent::WebhookDeleted, &webhook.record);
            self.0
                .commit(&context, writes.noting(entry), ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Returns a webhook for a test. 404 if it is another tenant's. A replay tests again.
    pub async fn to_test(&self, pending: impl Pending, id: WebhookId) -> Result<Stored<Webhook>> {
        let (pending, tenant) = pending.with_tenant();
        self.0
            .read_only(pending, || self.0.get(tenant, id))
            .await
    }
}

/// The attribute with the ids of an organization's webhooks.
const IDS: &str = "ids";

const FAILING_SINCE: &str = "failingSince";

const LAST_FAILURE_AT: &str = "lastFailureAt";

const LAST_SUCCESS_AT: &str = "lastSuccessAt";

const NEXT_SLOT_AT: &str = "nextTurnAt";
