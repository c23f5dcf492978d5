//! `GET /api/auth/oidc` with `connect` and `invitation`: accounts that are bound

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Answer, PASSWORD, refused, shows};

use crate::invitations::invited;

use super::{BEGIN, World, failed, person};

const CONNECT: &str = "/api/auth/oidc?organization=1&return=/%23/tasks&connect=true";

#[tokio::test]
async fn a_user_connects_the_account_from_a_session_of_its_own() {
    let world = World::start(json!({})).await;
    let api = &world.api;
    let mia = api.sign_in("mia").await;
    // Any address, verified or not.
    let claims = json!({"email": "someone@example.org", "email_verified": false});
    let signs_in = world
        .provider
        .signs_in_by(&mia, CONNECT, person("mia", &claims));
    let answer = signs_in.await;
    let bound = world.user_of(&answer).await;
    shows!(bound, {"id": mia.id(), "role": "member", "fullName": "Mia Tester"});
    // The session by the provider takes the place of the one that began it.
    mia.is_signed_out().await;
    let [session] = &world
        .session_of(&answer)
        .walk("/api/auth/sessions")
        .await[..]
    else {
        panic!("one session");
    };
    assert_eq!(session["method"], "oidc");
    // From then on the subject leads to the user, and the password holds until it is off.
    assert_eq!(world.user("mia", json!({})).await["id"], mia.id());
    api.anonymous()
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
    let mut bound = world.entries("sign_in_changed").await;
    bound.retain(|entry| entry["subjects"][0] == format!("user:{}", mia.id()));
    let [bound] = bound.try_into().unwrap();
    shows!(bound, {"after": {"issuer": world.provider.issuer, "sub": "sub-mia"}});
    // Whoever controls the provider may act through the account from now on.
    let user = api.account("mia").await;
    assert_eq!(user.fresh_until(), Some(api.clock.now().plus(span::DAY)));
}

#[tokio::test]
async fn connecting_needs_a_session_with_a_new_sign_in_and_a_page_of_ours() {
    let world = World::start(json!({})).await;
    let api = &world.api;
    refused!(api.anonymous().get(CONNECT).await => 401, "unauthenticated");
    let mia = api.sign_in("mia").await;
    refused!(mia.clone().with_cookie("connect.sid=s%3Ax.y").get(CONNECT).await => 401, "unauthenticated");
    // A page of another site could bind the account to a person of its own.
    let foreign = mia
        .clone()
        .with_header("sec-fetch-site", "cross-site");
    refused!(foreign.get(CONNECT).await => 403, "cross_site");
    api.clock.advance(30 * span::MINUTE);
    mia.get(CONNECT).await.expect(302);
    api.clock.advance(1);
    refused!(mia.get(CONNECT).await => 403, "sign_in_again");
    // To the user's own organization alone.
    let zoe = api.sign_in("zoe").await;
    zoe.get(CONNECT)
        .await
        .expect_not_found();
    let both = format!("{CONNECT}&invitation=x");
    zoe.get(&both)
        .await
        .expect_faults(&[("?connect", "combination")]);
}

#[tokio::test]
async fn a_subject_is_of_one_user_and_a_user_has_one_subject() {
    let mut world = World::start(json!({"defaultRole": "member"})).await;
    world.connects("mia", json!({})).await;
    // The subject of another user.
    let sue = world.api.sign_in("sue").await;
    let of_mia = world
        .provider
        .signs_in_by(&sue, CONNECT, person("mia", &json!({})));
    failed(&of_mia.await, "sign_in_not_allowed");
    sue.is_signed_in().await;
    // Another subject of a user who has one.
    let mia = world.api.sign_in("mia").await;
    let second = person("mia", &json!({"sub": "second"}));
    let answer = world
        .provider
        .signs_in_by(&mia, CONNECT, second.clone())
        .await;
    failed(&answer, "sign_in_not_allowed");
    // The same one again is a sign-in.
    let own = world
        .provider
        .signs_in_by(&mia, CONNECT, person("mia", &json!({})));
    assert_eq!(world.user_of(&own.await).await["id"], mia.id());
    // Another provider names its users anew.
    world.provider = world.api.has_provider(json!({})).await;
    let mia = world.api.sign_in("mia").await;
    let answer = world
        .provider
        .signs_in_by(&mia, CONNECT, second)
        .await;
    assert_eq!(world.user_of(&answer).await["id"], mia.id());
}

/// Else one user could have another one's browser bind the wrong account.
#[tokio::test]
async fn the_session_at_the_end_is_of_the_user_who_began() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let mia = world.api.sign_in("mia").await;
    let sue = world.api.sign_in("sue").await;
    let begins = async || {
        let of_mia = person("mia", &json!({}));
        let (browser, back) = world
            .provider
            .begins(&mia, CONNECT, of_mia)
            .await;
        let cookie = browser.cookie.unwrap();
        let (_, flow) = cookie.split_once("; ").unwrap();
        (flow.to_owned(), back)
    };
    let (flow, back) = begins().await;
    let as_sue = format!("{}; {flow}", sue.cookie.clone().unwrap());
    failed(
        &sue.clone()
            .with_cookie(as_sue)
            .get(&back)
            .await,
        "other_user",
    );
    let (flow, back) = begins().await;
    let nobody = world.api.anonymous().with_cookie(flow);
    failed(&nobody.get(&back).await, "sign_in_again");
    let (flow, back) = begins().await;
    mia.trigger("/api/auth/logout").await;
    let signed_out = format!("{}; {flow}", mia.cookie.clone().unwrap());
    failed(
        &mia.with_cookie(signed_out)
            .get(&back)
            .await,
        "sign_in_again",
    );
    // Nobody was bound: the subject makes a user.
    let made = world
        .user("mia", json!({"email": "new@example.com"}))
        .await;
    assert_ne!(made["username"], "mia");
}

fn accepts(token: &str) -> String {
    format!("{BEGIN}&invitation={token}")
}

/// A sign-in of a person without a session, who accepts the invitation of a token.
async fn accepted(world: &World, token: &str, person: Value) -> Answer {
    let nobody = world.api.anonymous();
    let path = accepts(token);
    world
        .provider
        .signs_in_by(&nobody, &path, person)
        .await
}

#[tokio::test]
async fn an_invitation_is_accepted_by_the_provider_and_binds_at_once() {
    let world = World::start(json!({"roles": {"Owners": "admin"}})).await;
    let token = invited(&world.api, "grace@example.com", "support").await;
    let claims = json!({"email": "g.hopper@login.example", "groups": ["Owners"]});
    let nobody = world.api.anonymous();
    let answer = accepted(&world, &token, person("grace", &claims)).await;
    let grace = world.user_of(&answer).await;
    // The invitation's role and address, and the token's names.
    shows!(grace, {"username": "grace", "role": "support", "email": "grace@example.com"});
    shows!(grace, {"fullName": "grace of the provider"});
    assert_ne!(grace["emailVerifiedAt"], Value::Null);
    assert_eq!(
        world
            .entries("invitation_accepted")
            .await
            .len(),
        1
    );
    refused!(nobody.logs_in("grace", PASSWORD).await => 401, "invalid_credentials");
    // The subject leads to the user, and groups set the role from then on.
    let again = world.user("grace", claims).await;
    shows!(again, {"id": grace["id"], "role": "admin"});
    // It is of use once.
    refused!(nobody.get(&accepts(&token)).await => 403, "invitation_invalid");
}

#[tokio::test]
async fn a_dead_a_foreign_and_a_used_invitation_make_nobody() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let nobody = world.api.anonymous();
    let token = invited(&world.api, "grace@example.com", "viewer").await;
    let zoe = world.api.sign_in("zoe").await;
    let put = world.provider.put(&json!({}));
    zoe.puts("/api/organizations/2/sign-in", put)
        .await;
    let abroad = accepts(&token).replace("organization=1", "organization=2");
    for path in [accepts("unknown"), abroad] {
        refused!(nobody.get(&path).await => 403, "invitation_invalid");
    }
    // It was deleted while the user was at the provider.
    let before = world.names().await;
    let grace = person("grace", &json!({"email": "other@example.com"}));
    let path = accepts(&token);
    let (browser, back) = world
        .provider
        .begins(&nobody, &path, grace)
        .await;
    let ada = world.api.sign_in("ada").await;
    ada.deletes("/api/invitations/1").await;
    failed(&browser.get(&back).await, "sign_in_not_allowed");
    // The subject of a user accepts none.
    world.user("hans", json!({})).await;
    let token = invited(&world.api, "hans2@example.com", "viewer").await;
    let hans = person("hans", &json!({}));
    failed(&accepted(&world, &token, hans).await, "sign_in_not_allowed");
    assert_eq!(world.names().await.len(), before.len() + 1);
    // It lives on, for another subject.
    let eve = person("eve", &json!({}));
    let answer = accepted(&world, &token, eve).await;
    world.user_of(&answer).await;
}
