//! The scheduled check, against the functions.

use checker::{CheckUser, CheckedAnswer, Checker, Request};
use shared::model::base::Clock;
use tests::support::{Api, PASSWORD};

fn checker(password: &str) -> Checker {
    let user = CheckUser {
        name: "ada".to_owned(),
        password: password.into(),
    };
    Checker::new("https://api.example.com/", Some(user), Clock::system())
}

/// Sends a request of the check to the functions; those of one step fail.
async fn send(api: &Api, request: Request, broken: Option<&str>) -> Result<CheckedAnswer, String> {
    if broken == Some(request.method) {
        return Err("no answer in time".to_owned());
    }
    let mut client = api.anonymous();
    if !request.cookie.is_empty() {
        client = client.with_cookie(&request.cookie);
    }
    let body = (!request.body.is_null()).then(|| request.body.to_string());
    let answer = client
        .send(request.method, &request.path, body)
        .await;
    let signs_in = answer.status == 200 && request.path.ends_with("/login");
    let cookie = if signs_in { answer.cookie() } else { "" };
    Ok(CheckedAnswer {
        status: answer.status,
        cookie: cookie
            .split(';')
            .next()
            .unwrap()
            .to_owned(),
        body: serde_json::from_str(&answer.text).unwrap_or_default(),
    })
}

#[tokio::test]
async fn the_check_leaves_nothing_behind() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let of_ada = checker(PASSWORD);
    let checked = of_ada.check(async |request| send(&api, request, None).await);
    assert_eq!(checked.await, Ok(()));
    assert_eq!(ada.get("/api/activities").await.ids(), [] as [i64; 0]);
}

#[tokio::test]
async fn a_failed_check_names_its_step() {
    let (api, _) = Api::with_users(["ada"]).await;
    for (password, broken, step) in [
        ("wrong", None, "sign in"),
        (PASSWORD, Some("POST"), "sign in"),
        (PASSWORD, Some("GET"), "read"),
        (PASSWORD, Some("DELETE"), "delete"),
    ] {
        let of_ada = checker(password);
        let checked = of_ada.check(async |request| send(&api, request, broken).await);
        let failed = checked.await.unwrap_err();
        assert_eq!(failed.step, step);
        let cause = &failed.cause;
        assert!(!cause.is_empty() && !cause.contains(PASSWORD), "{cause}");
    }
    let nobody = Checker::new("https://api.example.com", None, Clock::system());
    let checked = nobody.check(async |request| send(&api, request, None).await);
    assert_eq!(checked.await.unwrap_err().step, "start");
}
