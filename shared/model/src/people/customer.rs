//! Customers: the companies that an organization serves.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        Code, CustomerId, CustomerName, Error, OrganizationId, SearchText, Timestamp,
        input::{BoundedList, PatchField},
        sort::sort,
    },
    input,
    people::each_once,
    plain_text, short_form,
};

/// A company that the organization serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    pub id: CustomerId,
    pub organization_id: OrganizationId,
    /// Unique in the organization without regard to case.
    pub name: CustomerName,
    /// The hosts of its mail addresses, in order; each is of one customer only.
    #[serde(default)]
    #[schema(required = true)]
    pub domains: Vec<CustomerDomain>,
    /// True for a former customer, for whom nothing new is recorded.
    #[serde(default)]
    #[schema(required = true)]
    pub archived: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    pub struct CustomerFilter {
        /// Words, each of which must begin a word of the name, without regard to case.
        query: Option<SearchText>,
        /// `true` for the archived ones alone. Without it, those that are not.
        archived: Option<bool>,
    }

    pub struct CustomerCreate {
        name: CustomerName,
        domains: Option<CustomerDomains>,
    }
    example {"name": "Ferro Robotics", "domains": ["ferro.example"]};

    /// A change of a customer: at least one field.
    pub struct CustomerUpdate {
        name: PatchField<CustomerName>,
        /// All domains, in place of those before.
        domains: PatchField<CustomerDomains>,
        /// An archived customer keeps its records, and gets no new project, ticket or request.
        archived: PatchField<bool>,
    }
    needs any;
    example {"name": "Ferro Europe", "domains": ["ferro.test"], "archived": false};
}

pub type CustomerDomains = BoundedList<CustomerDomain, 0, 20>;

plain_text! {
    /// A host of mail addresses, in lower case and with a dot.
    CustomerDomain, r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", 253,
    "ferro.example", is_host, "a host in lower case with a dot, such as ferro.example";
}

short_form! {
    /// A customer as part of other records.
    CustomerRef of Customer { id: CustomerId, name: CustomerName }
}

sort! {
    CustomerSort = "name": "Customers: by name, without regard to case; ties are broken by id.";
}

/// Returns true for a host name with a dot, whose last label begins with a letter (RFC 1123, 2.1).
fn is_host(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(is_part)
    };
    let has_letter =
        |(_, last): (&str, &str)| last.starts_with(|first: char| first.is_ascii_lowercase());
    text.split('.').all(is_label)
        && text
            .rsplit_once('.')
            .is_some_and(has_letter)
}

impl Customer {
    pub fn new(
        id: CustomerId,
        tenant: OrganizationId,
        sent: CustomerCreate,
        now: Timestamp,
    ) -> Self {
        let domains = sent.domains.map(|list| list.0);
        Self {
            id,
            organization_id: tenant,
            name: sent.name,
            domains: each_once(domains.unwrap_or_default()),
            archived: false,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn change(&mut self, update: CustomerUpdate, now: Timestamp) {
        update.name.apply(&mut self.name);
        if let PatchField::Set(BoundedList(domains)) = update.domains {
            self.domains = each_once(domains);
        }
        update
            .archived
            .apply(&mut self.archived);
        self.updated_at = now;
    }

    /// 409 for an archived customer, who gets no new record.
    pub fn takes_records(&self) -> Result<(), Error> {
        if self.archived {
            let detail = "The customer is archived and gets no new records. Restore it first.";
            return Err(Error::conflict(Code::CustomerArchived, detail));
        }
        Ok(())
    }
}
