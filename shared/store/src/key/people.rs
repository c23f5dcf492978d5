//! Keys of organizations, users, and how they sign in.

use model::{
    base::{Id, OrganizationId, RecordType, Timestamp, UserId, unique_name},
    people::{
        Invitation, Link, Organization, OrganizationEntry, OrganizationHead, Scopes, Session,
        SignInEntry, SignInProvider, Token, User, digest,
    },
};
use table::{AnyKey, Gsi1, Key, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::{
        Account, TokenHolder,
        records::{
            Attempted, EmailHolder, FailureCount, Failures, InvitedAddress, ListedProvider,
            MailCount, SubjectHolder, Tombstone, Totals, UsedState,
        },
    },
    key::Keyed,
};

use super::format::{below, keys, name_then_id, of_record, partition};

keys! {
    pub fn organization(id: OrganizationId) -> Key<Organization>
        = format!("ORG#{id}"), RecordType::Organization.facts().key;
    pub(crate) fn tombstone(id: OrganizationId) -> Key<Tombstone>
        = format!("ORG#{id}"), "TOMBSTONE";
    /// The projects that not all users see.
    pub(crate) fn scopes(tenant: Tenant) -> Key<Scopes> = format!("ORG#{tenant}"), "SCOPES";
    pub(crate) fn totals(tenant: Tenant) -> Key<Totals> = format!("ORG#{tenant}"), "TOTALS";
    /// The organization's journal by time, which is the order of its numbers.
    pub(crate) fn organization_journal(tenant: Tenant) -> RecordList<OrganizationEntry>
        = partition(tenant, RecordType::OrganizationEntry);
    pub(crate) fn organization_head(tenant: Tenant) -> Key<OrganizationHead>
        = format!("ORG#{tenant}"), "JOURNAL";
    /// The organization's users by username.
    pub fn users(tenant: Tenant) -> RecordList<User, Gsi1> = partition(tenant, RecordType::User);
    /// The account of a username. It belongs to the service, not to a tenant: a sign-in begins with
    /// it.
    pub fn account(folded_username: &str) -> Key<Account>
        = format!("USERNAME#{folded_username}"), "CREDENTIAL";
    /// The users of an address by organization, of which each has one at most. They belong to the
    /// service: a forgotten password leads to all of them.
    pub(crate) fn email_holders(email: &str) -> RecordList<EmailHolder> = format!("EMAIL#{email}");
    /// The provider by which the organization's users sign in.
    pub(crate) fn sign_in_provider(tenant: Tenant) -> Key<SignInProvider>
        = format!("ORG#{tenant}"), "SIGN_IN";
    /// The user of a provider's subject, by the hash of both.
    pub(crate) fn subject_holder(tenant: Tenant, hash: &str) -> Key<SubjectHolder>
        = format!("ORG#{tenant}#SUBJECT"), hash;
    /// The providers of all organizations. They belong to the service: a sign-in looks for a
    /// username's.
    pub(crate) fn listed_providers() -> RecordList<ListedProvider> = "PROVIDERS";
    /// The used state of a sign-in by a provider, by its hash.
    pub(crate) fn used_state(hash: &str) -> Key<UsedState> = format!("SIGN_IN#{hash}"), "STATE";
    /// A mailed link, by the hash of its token. It belongs to the service: its token names no
    /// tenant.
    pub(crate) fn link(token_hash: &str) -> Key<Link> = format!("LINK#{token_hash}"), "LINK";
    /// The count of mails of one kind, in the period from that instant on.
    pub(crate) fn mail_count(hash: &str, since: Timestamp) -> Key<MailCount>
        = format!("MAILS#{hash}"), format!("COUNT#{since}");
    /// The organization's invitations: the accepted ones by creation, then those that were not
    /// accepted.
    pub fn invitations(tenant: Tenant) -> RecordList<Invitation, Gsi1>
        = partition(tenant, RecordType::Invitation);
    /// The newest invitation of an address, by the address's hash.
    pub(crate) fn invited_address(tenant: Tenant, hash: &str) -> Key<InvitedAddress>
        = format!("ORG#{tenant}#INVITED"), hash;
    /// The failed sign-ins to an account from a network. Neither needs to exist.
    pub(crate) fn sign_in_failures(account_and_network_hash: &str) -> Key<Failures>
        = format!("SIGN_IN#{account_and_network_hash}"), "FAILURES";
    /// All that is kept of failed sign-ins from a network, or to an account.
    fn sign_in_counts_of(hash: &str) -> RecordList<FailureCount> = format!("SIGN_IN#{hash}");
    /// The failed sign-ins from a network, or to an account, in the quarter of an hour from that
    /// instant on.
    pub(crate) fn sign_in_count(hash: &str, quarter: Timestamp) -> Key<FailureCount>
        = sign_in_counts_of(hash) => SortKey::new(format!("COUNT#{quarter}"));
    pub fn session(tenant: Tenant, user: UserId, sid_hash: &str) -> Key<Session>
        = session_partition(tenant, user), sid_hash;
    /// A user's sessions by start.
    pub fn sessions(tenant: Tenant, user: UserId) -> RecordList<Session, Gsi1>
        = session_partition(tenant, user);
    /// A user's tokens by place.
    pub(crate) fn tokens(tenant: Tenant, user: UserId) -> RecordList<Token>
        = of_record(tenant, user, RecordType::Token);
    /// The owner of a token, by its hash. It belongs to the service: a request with a token begins
    /// with it.
    pub(crate) fn token_holder(token_hash: &str) -> Key<TokenHolder>
        = format!("{}#{token_hash}", RecordType::Token.facts().key), "HOLDER";
    pub(crate) fn attempted(tenant: Tenant, user: UserId, key: &str) -> Key<Attempted>
        = below_user(tenant, user, "ATTEMPT"), key;
    /// The number of admins of the organization who are not disabled.
    pub(crate) fn admins(tenant: Tenant) -> AnyKey = format!("ORG#{tenant}"), "ADMINS";
    /// The key of an entry by its instant and its number.
    pub(crate) fn organization_entry_at(tenant: Tenant, at: Timestamp, seq: i64)
        -> Key<OrganizationEntry> = organization_journal(tenant)
        => SortKey::new(format!("{at}#{}", padded(seq)));
    /// A user's key in [`users`].
    pub fn user_by_name(user: &User) -> Key<User, Gsi1>
        = users(user.organization_id) => name_then_id(&user.username, user.id);
    /// The user of an address in an organization.
    pub(crate) fn email_holder(tenant: Tenant, email: &str) -> Key<EmailHolder>
        = email_holders(email) => SortKey::new(padded(tenant.get()));
    pub(crate) fn listed_provider(tenant: Tenant) -> Key<ListedProvider>
        = listed_providers() => SortKey::new(padded(tenant.get()));
    /// A session's key in [`sessions`].
    pub fn session_in_time(session: &Session) -> Key<Session, Gsi1>
        = sessions(session.organization_id, session.user_id)
        => SortKey::new(format!("{}#{}", session.created_at, session.sid_hash));
    /// The token in one of its owner's places.
    pub(crate) fn token(tenant: Tenant, user: UserId, place: i64) -> Key<Token>
        = tokens(tenant, user) => SortKey::new(padded(place));
}

impl Keyed for OrganizationId {
    type Record = Organization;

    fn key(self, _: OrganizationId) -> Key<Organization> {
        organization(self)
    }
}

/// An entry's key in [`organization_journal`].
pub(crate) fn organization_entry(entry: &OrganizationEntry) -> Key<OrganizationEntry> {
    organization_entry_at(entry.organization_id, entry.at, entry.seq)
}

/// The key of a sign-in's entry, in the same list.
pub(crate) fn sign_in_entry(tenant: Tenant, at: Timestamp, hash: &str) -> Key<SignInEntry> {
    let short = hash.get(..16).unwrap_or(hash);
    Key::new(
        partition(tenant, RecordType::OrganizationEntry),
        format!("{at}#{short}"),
    )
}

/// An invitation's key in [`invitations`].
pub fn invitation_in_list(invitation: &Invitation) -> Key<Invitation, Gsi1> {
    let state = if invitation.accepted_at.is_some() {
        "ACCEPTED"
    } else {
        "OPEN"
    };
    let at = invitation.created_at;
    let id = padded(invitation.id.get());
    invitations(invitation.organization_id).at(SortKey::new(format!("{state}#{at}#{id}")))
}

/// The quarters of [`sign_in_count`] of a network, or of an account.
pub(crate) fn sign_in_counts(hash: &str) -> RecordList<FailureCount> {
    sign_in_counts_of(hash)
        .from(SortKey::new("COUNT#"))
        .up_to(SortKey::new("COUNT#~"))
}

/// The subject of [`sign_in_count`] for an account.
pub(crate) fn sign_in_account(username: &str) -> String {
    digest(&format!("{}\n", unique_name::key(username)))
}

fn session_partition(tenant: Tenant, user: UserId) -> String {
    below_user(tenant, user, "SESSION")
}

fn below_user(tenant: Tenant, user: UserId, part: &str) -> String {
    below(tenant, RecordType::User, user, part)
}
