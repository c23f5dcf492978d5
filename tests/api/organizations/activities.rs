//! `GET /api/organizations/{organizationId}/activities`

use crate::{api::activities::NO_ID, support::Api};

#[tokio::test]
async fn the_activities_of_an_organization_that_is_not_the_callers_are_denied() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for id in NO_ID.into_iter().chain(["2"]) {
        mia.get(&format!("/api/organizations/{id}/activities"))
            .await
            .expect_problem(403, "access_denied");
    }
}
