//! Views of users and invitations, and of entries of the organization's journal.

use shared::endpoint::*;

/// A user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User, examples(json!({
    "id": 1,
    "username": "ada",
    "fullName": "Ada Lindqvist",
    "email": "ada@example.com",
    "emailVerifiedAt": "2026-01-05T09:05:00.000Z",
    "emailBouncedAt": null,
    "role": "admin",
    "permissions": [],
    "disabled": false,
    "createdAt": "2026-01-05T09:00:00.000Z",
    "updatedAt": "2026-01-05T09:00:00.000Z",
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    id: UserId,
    username: String,
    full_name: String,
    /// Address for mail; null without one, and for callers without `manage_users`, except the user's own.
    email: Option<Email>,
    /// Instant at which the user verified the address by a link; null before.
    email_verified_at: Option<Timestamp>,
    /// Instant from which a server refuses mails to the address for good; null for a good one.
    email_bounced_at: Option<Timestamp>,
    #[schema(value_type = Role)]
    role: OrOther<Role>,
    /// Permissions beyond those of the role; null for callers without `manage_users`.
    #[schema(value_type = Option<Vec<Permission>>)]
    permissions: Option<Vec<OrOther<Permission>>>,
    disabled: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

versioned!(UserView);

impl UserView {
    pub fn seen_by(viewer: &Identity, user: Stored<User>) -> Self {
        let (version, record) = (user.version, user.record);
        let manages = viewer.may(Permission::ManageUsers);
        let sees_email = manages || viewer.user.id == record.id;
        Self {
            id: record.id,
            username: record.username,
            full_name: record.full_name,
            email: record.email.filter(|_| sees_email),
            email_verified_at: record.email_verified_at.filter(|_| sees_email),
            email_bounced_at: record.email_bounced_at.filter(|_| sees_email),
            role: record.role,
            permissions: manages.then_some(record.extra_permissions),
            disabled: record.disabled,
            created_at: record.created_at,
            updated_at: record.updated_at,
            version,
        }
    }
}

/// An invitation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Invitation, examples(json!({
    "id": 1,
    "email": "noor@example.com",
    "role": "member",
    "fullName": "Noor Haddad",
    "invitedBy": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"},
    "createdAt": "2026-01-14T09:30:00.000Z",
    "expiresAt": "2026-01-21T09:30:00.000Z",
    "sentAt": "2026-01-14T09:30:00.000Z",
    "acceptedAt": null,
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct InvitationView {
    id: InvitationId,
    email: Email,
    /// Role of the account that its link makes.
    #[schema(value_type = Role)]
    role: OrOther<Role>,
    /// Name of the person, as the inviter knows it.
    full_name: Option<FullName>,
    /// User who sent it last.
    invited_by: Option<UserRef>,
    created_at: Timestamp,
    /// Instant from which its link is dead.
    expires_at: Timestamp,
    /// Instant at which it was sent last.
    sent_at: Timestamp,
    /// Instant at which its link made an account; null as long as it has not.
    accepted_at: Option<Timestamp>,
    /// Version, raised by every write.
    version: i64,
}

versioned!(InvitationView);

impl InvitationView {
    pub fn new(stored: Stored<Invitation>, invited_by: Option<UserRef>) -> Self {
        let (version, record) = (stored.version, stored.record);
        Self {
            id: record.id,
            expires_at: record.ends_at(),
            email: record.email,
            role: record.role,
            full_name: record.full_name,
            invited_by,
            created_at: record.created_at,
            sent_at: record.sent_at,
            accepted_at: record.accepted_at,
            version,
        }
    }
}

/// The caller as a user who sends invitations.
pub fn inviter(caller: &Identity) -> Inviter {
    Inviter {
        user: caller.user.clone(),
        held: caller.held(),
        most: caller.organization.invitations_per_day,
    }
}

/// An entry of the organization's journal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrganizationJournalEntry, examples(json!({
    "seq": 12,
    "at": "2026-01-14T12:05:00.000Z",
    "actor": {"type": "user", "userId": 1},
    "credential": {"type": "session", "tokenId": null, "tokenName": null},
    "event": "user_changed",
    "subjects": ["user:7"],
    "before": {"role": "member"},
    "after": {"role": "manager"},
    "previousHash": "80a00f0b51c6d51dc228b0b2b1f4fb3a510da55c0aaef2a956d7c488180d68f9",
    "hash": "a3bf4f1b2b0b822cd15d6c15b0f00a089f86d081884c7d659a2feaa0c55ad015",
    "digested": null
})))]
#[serde(rename_all = "camelCase")]
pub struct OrganizationEntryView {
    /// Number, from 1; null for a sign-in, a refused one and a sign-out, which `sign_ins_chained` names.
    seq: Option<i64>,
    at: Timestamp,
    actor: EntryActor,
    /// Credential of the request; null for the service itself and the operator.
    credential: Option<EntryCredential>,
    event: OrganizationEvent,
    /// Changed records: `organization:1`, `user:7`, `invitation:2`, `token:3`, `policy`, `connection:stripe`, `agent` or
    /// `alert:9`. A token has its owner, too.
    subjects: Vec<String>,
    /// Changed fields before; null for a new record. Of reported alerts, by subject. Of a value with more
    /// than 2,000 bytes, hash and beginning.
    before: Option<JsonObject>,
    /// Changed fields after; null for a deleted record. A new password has no fields.
    after: Option<JsonObject>,
    /// Hash of the entry before it; empty for the first, and without a number.
    previous_hash: String,
    /// SHA-256 of the canonical JSON of the entry without this field and `digested`, in hexadecimal.
    hash: String,
    /// Names of persons, in place of which the hash covers digests; null for none, and after their erasure.
    /// A name that was erased is an object.
    digested: Option<DigestedMembers>,
}

impl From<Stored<OrganizationEntry>> for OrganizationEntryView {
    fn from(
        Stored {
            record: mut entry, ..
        }: Stored<OrganizationEntry>,
    ) -> Self {
        let digested = entry.show_names();
        Self {
            seq: (!entry.event.is_apart()).then_some(entry.seq),
            at: entry.at,
            actor: entry.actor,
            credential: entry.credential,
            event: entry.event,
            subjects: entry.subjects,
            before: entry.before.map(|before| before.0),
            after: entry.after.map(|after| after.0),
            previous_hash: entry.previous_hash,
            hash: entry.hash,
            digested,
        }
    }
}
