//! Sign-ins of one browser side by side

use serde_json::json;
use tests::support::{Answer, Caller};

use super::{BEGIN, World, failed, person, unknown};

/// A browser that keeps its cookies.
struct Browser {
    caller: Caller,
    cookies: Vec<String>,
}

impl Browser {
    fn of(world: &World) -> Self {
        Self {
            caller: world.api.anonymous(),
            cookies: Vec::new(),
        }
    }

    async fn get(&mut self, path: &str) -> Answer {
        let caller = self
            .caller
            .clone()
            .with_cookie(self.cookies.join("; "));
        let answer = caller.get(path).await;
        for set in answer.cookies() {
            let (cookie, attributes) = set.split_once("; ").unwrap();
            let (name, _) = cookie.split_once('=').unwrap();
            self.cookies
                .retain(|cookie| !cookie.starts_with(&format!("{name}=")));
            if !attributes.contains("Max-Age=0") {
                self.cookies.push(cookie.to_owned());
            }
        }
        answer
    }

    /// Begins a sign-in of a person. Returns the path by which the provider sends the browser back.
    async fn begins(&mut self, world: &World, name: &str) -> String {
        let begun = self.get(BEGIN).await;
        begun.expect(302);
        let person = person(name, &json!({}));
        let location = begun.header("location").unwrap();
        world
            .provider
            .sends_back(location, &person)
    }

    fn flows(&self) -> usize {
        let names = self.cookies.iter();
        names
            .filter(|cookie| cookie.starts_with("connect.oidc."))
            .count()
    }
}

#[tokio::test]
async fn two_tabs_sign_in_in_whatever_order() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    for is_reversed in [false, true] {
        let mut browser = Browser::of(&world);
        let mut tabs = [
            browser.begins(&world, "grace").await,
            browser.begins(&world, "grace").await,
        ];
        if is_reversed {
            tabs.reverse();
        }
        for (left, back) in [1, 0].into_iter().zip(tabs) {
            let answer = browser.get(&back).await;
            assert_eq!(answer.header("location"), Some("/#/tasks"));
            assert_eq!(browser.flows(), left);
        }
    }
}

#[tokio::test]
async fn an_answer_ends_no_other_sign_in() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let mut browser = Browser::of(&world);
    let back = browser.begins(&world, "grace").await;
    // A stranger's link or picture.
    for state in [
        "state=x",
        "code=x",
        "state=",
        "state=%00",
        "state=connect.sid",
    ] {
        let path = format!("/api/auth/oidc/callback/1?{state}");
        unknown(&browser.get(&path).await, "state_invalid");
    }
    // Another tab of the same browser fails.
    let other = browser.begins(&world, "grace").await;
    let refused = other.replace("code=", "x=");
    failed(&browser.get(&refused).await, "provider_refused");
    let answer = browser.get(&back).await;
    assert_eq!(answer.header("location"), Some("/#/tasks"));
    assert_eq!(browser.flows(), 0);
}

#[tokio::test]
async fn of_more_than_five_sign_ins_the_oldest_ends() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let mut browser = Browser::of(&world);
    let mut backs = Vec::new();
    for number in 1..=7 {
        world.api.clock.advance(1_000);
        backs.push(browser.begins(&world, "grace").await);
        assert_eq!(browser.flows(), number.min(5));
    }
    for back in &backs[..2] {
        unknown(&browser.get(back).await, "state_invalid");
    }
    for back in &backs[2..] {
        let answer = browser.get(back).await;
        assert_eq!(answer.header("location"), Some("/#/tasks"));
    }
}

/// A page of another site may send the browser through a provider of its own, to read what the user
/// writes then.
#[tokio::test]
async fn the_session_of_another_user_is_not_replaced() {
    let world = World::start(json!({"defaultRole": "member"})).await;
    let vera = world.connects("mia", json!({})).await;
    let before = world.names().await;
    // Of a user who is not there yet, and of one who is.
    for round in 0..2 {
        let signs_in = world
            .provider
            .signs_in(&vera, person("att", &json!({})));
        failed(&signs_in.await, "other_user");
        vera.is_signed_in().await;
        if round == 0 {
            assert_eq!(world.names().await, before);
            world.user("att", json!({})).await;
        }
    }
    // The same user gets another session, and nobody's session is in nobody's way.
    let again = world
        .provider
        .signs_in(&vera, person("mia", &json!({})))
        .await;
    assert_eq!(world.user_of(&again).await["username"], "mia");
    vera.trigger("/api/auth/logout").await;
    let signed_out = world
        .provider
        .signs_in(&vera, person("att", &json!({})))
        .await;
    assert_eq!(world.user_of(&signed_out).await["username"], "att");
}
