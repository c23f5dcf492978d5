//! `GET /api/projects/{projectId}/activities`

use crate::{api::activities::NO_ID, support::Api};

#[tokio::test]
async fn the_activities_of_a_project_that_is_not_the_callers_are_denied() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for id in NO_ID.into_iter().chain(["3"]) {
        mia.get(&format!("/api/projects/{id}/activities"))
            .await
            .expect_problem(403, "access_denied");
    }
    assert_eq!(mia.get("/api/projects/2/activities").await.ids(), [0; 0]);
}
