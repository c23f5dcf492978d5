//! Discovery documents and keys: read when a provider is set and by the sweeper, and kept in the
//! table

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::model::base::span;

use super::{BEGIN, World, failed, unknown};

#[tokio::test]
async fn a_provider_that_hangs_costs_those_who_begin_nothing() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let elsewhere = world.api.other_instances().await;
    world.provider.hangs(true);
    let before = world.provider.requests();
    for browser in [
        world.api.anonymous(),
        world
            .api
            .anonymous()
            .before(elsewhere.clone()),
    ] {
        let begun = browser.get(BEGIN).await;
        let location = begun.header("location").unwrap();
        assert!(location.starts_with(&world.provider.issuer), "{location}");
    }
    assert_eq!(world.provider.requests(), before);
    // Of the codes that come back, the first one waits, and all instances know of it for 30
    // seconds.
    let (browser, back) = world.begins().await;
    failed(&browser.get(&back).await, "provider_unavailable");
    assert_eq!(world.provider.requests(), before + 1);
    for _ in 0..2 {
        let (browser, back) = world.begins().await;
        let answer = browser
            .before(elsewhere.clone())
            .get(&back)
            .await;
        failed(&answer, "provider_unavailable");
    }
    world.provider.hangs(false);
    let (browser, back) = world.begins().await;
    failed(&browser.get(&back).await, "provider_unavailable");
    assert_eq!(world.provider.requests(), before + 1);
    world
        .api
        .clock
        .advance(30 * span::SECOND);
    world.user("grace", json!({})).await;
}

/// Such a provider is read at the first sign-in, or by the sweeper, whichever comes first.
#[tokio::test]
async fn an_organization_of_before_signs_in_without_a_pause() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    world.was_set_up_before().await;
    let read = world.provider.keys_read();
    for _ in 0..2 {
        world.user("grace", json!({})).await;
    }
    assert_eq!(world.provider.keys_read(), read + 1);
    world.was_set_up_before().await;
    world.api.clock.advance(span::MINUTE);
    assert_eq!(
        world
            .api
            .sweeper()
            .await
            .sweeper
            .start()
            .await
            .providers,
        1
    );
    for _ in 0..2 {
        world.user("grace", json!({})).await;
    }
    assert_eq!(world.provider.keys_read(), read + 2);
    // If it gives no answer, one request waits each 30 seconds, and no other.
    world.was_set_up_before().await;
    world.api.clock.advance(span::MINUTE);
    world.provider.is_down(true);
    for _ in 0..3 {
        let answer = world.api.anonymous().get(BEGIN).await;
        unknown(&answer, "provider_unavailable");
    }
    world.provider.is_down(false);
    let answer = world.api.anonymous().get(BEGIN).await;
    unknown(&answer, "provider_unavailable");
    world
        .api
        .clock
        .advance(30 * span::SECOND);
    world.user("grace", json!({})).await;
}

#[tokio::test]
async fn the_sweeper_reads_each_provider_every_hour() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let sweeping = world.api.sweeper().await;
    let read = async || sweeping.sweeper.start().await.providers;
    let version = async || {
        let ada = world.api.sign_in("ada").await;
        ada.reads("/api/organizations/1/sign-in")
            .await["version"]
            .clone()
    };
    let before = version().await;
    assert_eq!(read().await, 0);
    world.api.clock.advance(span::HOUR);
    assert_eq!(read().await, 1);
    assert_eq!(read().await, 0);
    // The same document is not written, so that no admin's change conflicts.
    assert_eq!(version().await, before);
    // A new key is known within the hour, without a token that names it.
    world.api.clock.advance(span::HOUR);
    world.provider.rotates();
    assert_eq!(read().await, 1);
    let keys_read = world.provider.keys_read();
    world.user("grace", json!({})).await;
    assert_eq!(world.provider.keys_read(), keys_read);
    // While it is down, the stored document serves, and the sweeper tries again each ten minutes.
    world.api.clock.advance(span::HOUR);
    world.provider.is_down(true);
    assert_eq!(read().await, 0);
    world
        .api
        .anonymous()
        .get(BEGIN)
        .await
        .expect(302);
    world.provider.is_down(false);
    for (minutes, reads) in [(9, 0), (1, 1)] {
        world
            .api
            .clock
            .advance(minutes * span::MINUTE);
        assert_eq!(read().await, reads, "{minutes}");
    }
    // A provider that is gone is read no more.
    let ada = world.api.sign_in("ada").await;
    ada.deletes("/api/organizations/1/sign-in")
        .await;
    world.api.clock.advance(span::HOUR);
    assert_eq!(read().await, 0);
}

/// An earlier version keeps the document that it does not know, also when the admins change the
/// issuer.
#[tokio::test]
async fn a_document_of_another_issuer_is_none() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let mut item = world
        .api
        .item(["ORG#1", "SIGN_IN"])
        .await
        .unwrap();
    let former = "https://former.example.com".to_owned();
    let mut discovery = item["discovery"]
        .as_m()
        .unwrap()
        .clone();
    discovery.insert("issuer".to_owned(), AttributeValue::S(former));
    item.insert("discovery".to_owned(), AttributeValue::M(discovery));
    world.api.puts([item]).await;
    let read = world.provider.keys_read();
    world.user("grace", json!({})).await;
    assert_eq!(world.provider.keys_read(), read + 1);
}
