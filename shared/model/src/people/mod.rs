//! Organizations, users, and all by which they sign in: sessions, tokens, links, providers.

pub(crate) mod customer;
pub(crate) mod demand;
pub(crate) mod directory;
pub(crate) mod held;
pub(crate) mod invitation;
pub mod journal;
pub(crate) mod link;
pub(crate) mod password;
pub(crate) mod permission;
pub(crate) mod provider;
pub(crate) mod provider_subject;
pub(crate) mod scope;
pub(crate) mod session;
pub(crate) mod sid;
pub(crate) mod token;
pub(crate) mod user;

pub use customer::{
    Customer, CustomerCreate, CustomerDomain, CustomerDomains, CustomerFilter, CustomerRef,
    CustomerSort, CustomerUpdate,
};
pub use demand::{Demand, SignInAge};
pub use directory::{
    ImportOf, LeaverRule, Organization, OrganizationUpdate, PlanFeature, Suspension,
    SuspensionCause, Tag, TagCreate, TagFilter, TagRef, TagSort, TagUpdate, WebUrl,
};
pub use held::Held;
pub use invitation::{Invitation, InvitationCreate};
pub use journal::{
    CredentialType, DigestedMembers, EntryActor, EntryActorType, EntryContent, EntryCredential,
    JournalFlaw, JournalHead, Journaled, NamedSignIn, OrganizationEntry, OrganizationEvent,
    OrganizationHead, OrganizationJournalBreak, OrganizationJournalCheck,
    OrganizationJournalFilter, OrganizationJournalFrom, SessionHead, SignInEntry,
};
pub use link::{
    AccountLink, EmailChange, EmailConfirm, InvitationAccept, InvitationLink, Link, LinkPurpose,
    PasswordForgotten, PasswordReset, mail_limit, refused_link,
};
pub use password::{LoginPassword, NewPassword, PasswordHash};
pub use permission::{NamedPermission, OrdinaryPermission, Permission, Role, need};
pub use provider::{
    ClaimName, ClientId, GroupRoles, IssuerUrl, OidcBegin, PasswordSignIn, ProviderDiscovery,
    ReturnUrl, SignInFault, SignInProvider, SignInPut, SignInWaysOf,
};
pub use provider_subject::ProviderSubject;
pub use scope::{Place, Scope, Scopes, StaffScope};
pub use session::{Login, PasswordChange, Session, SignInMethod};
pub use sid::{Sid, digest};
pub use token::{Token, TokenCreate, TokenSecret};
pub use user::{
    PasswordSet, Permissions, User, UserCreate, UserFilter, UserRef, UserUpdate, each_once,
};
