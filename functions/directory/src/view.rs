//! Views of users and invitations, and of entries of the organization's journal.

use shared::{
    auth::Identity,
    endpoint::*,
    model::{
        base::{Email, JsonObject, OrOther},
        people::{
            DigestedMembers, EntryActor, EntryCredential, Invitation, OrganizationEntry,
            OrganizationEvent, Permission, Role, User, UserRef,
        },
    },
    store::people::Inviter,
};

// `ToSchema` takes no type arguments.
type ShownInvitation = Shown<Invitation>;

view! {
    /// A user.
    #[schema(as = User)]
    pub struct UserView of user(
        Stored { record: user, version, .. }: Stored<User>,
        manages: bool,
        sees_email: bool,
    ) {
        id: UserId,
        username: String,
        full_name: String,
        /// Address for mail; null without one, and for callers without `manage_users`, except the
        /// user's own.
        email: Option<Email> = user.email.filter(|_| sees_email),
        /// Instant at which the user verified the address by a link; null before.
        email_verified_at: Option<Timestamp> = user.email_verified_at.filter(|_| sees_email),
        /// Instant from which a server refuses mails to the address for good; null for a good one.
        email_bounced_at: Option<Timestamp> = user.email_bounced_at.filter(|_| sees_email),
        #[schema(value_type = Role)]
        role: OrOther<Role>,
        /// Permissions beyond those of the role; null for callers without `manage_users`.
        #[schema(value_type = Option<Vec<Permission>>)]
        permissions: Option<Vec<OrOther<Permission>>> = manages.then_some(user.extra_permissions),
        disabled: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
        /// Version, raised by every write.
        version: i64 = version,
    }
}

versioned!(UserView);

impl UserView {
    pub fn seen_by(viewer: &Identity, user: Stored<User>) -> Self {
        let manages = viewer.may(Permission::ManageUsers);
        let sees_email = manages || viewer.user.id == user.id;
        Self::of(user, manages, sees_email)
    }
}

view! {
    /// An invitation.
    #[schema(as = Invitation)]
    pub struct InvitationView of invitation(invitation: &Stored<Invitation>, invited_by: Option<UserRef>) {
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownInvitation = invitation.clone().into(),
        /// User who sent it last.
        invited_by: Option<UserRef> = invited_by,
        /// Instant from which its link is dead.
        expires_at: Timestamp = invitation.ends_at(),
        /// Version, raised by every write.
        version: i64,
    }
}

versioned!(InvitationView);

/// The caller as a user who sends invitations.
pub fn inviter(caller: &Identity) -> Inviter {
    Inviter {
        user: caller.user.clone(),
        held: caller.held(),
        most: caller.organization.invitations_per_day,
    }
}

view! {
    /// An entry of the organization's journal.
    #[schema(as = OrganizationJournalEntry)]
    pub struct OrganizationEntryView of entry(entry: OrganizationEntry, digested: Option<DigestedMembers>) {
        /// Number, from 1; null for a sign-in, a refused one and a sign-out, which
        /// `sign_ins_chained` names.
        seq: Option<i64> = (!entry.event.is_apart()).then_some(entry.seq),
        at: Timestamp,
        actor: EntryActor,
        /// Credential of the request; null for the service itself and the operator.
        credential: Option<EntryCredential>,
        event: OrganizationEvent,
        /// Changed records: `organization:1`, `user:7`, `invitation:2`, `token:3`, `policy`,
        /// `connection:stripe`, `agent` or `alert:9`. A token has its owner, too.
        subjects: Vec<String>,
        /// Changed fields before; null for a new record. Of reported alerts, by subject. Of a value
        /// with more than 2,000 bytes, hash and beginning.
        before: Option<JsonObject> = entry.before.map(|before| before.0),
        /// Changed fields after; null for a deleted record. A new password has no fields.
        after: Option<JsonObject> = entry.after.map(|after| after.0),
        /// Hash of the entry before it; empty for the first, and without a number.
        previous_hash: String,
        /// SHA-256 of the canonical JSON of the entry without this field and `digested`, in
        /// hexadecimal.
        hash: String,
        /// Names of persons, in place of which the hash covers digests; null for none, and after
        /// their erasure. A name that was erased is an object.
        digested: Option<DigestedMembers> = digested,
    }
}
