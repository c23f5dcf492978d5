//! `PATCH /api/tasks/{taskId}/phase`

use serde_json::{Value, json};
use tests::support::{Api, patches};

use super::task;

#[tokio::test]
async fn a_task_moves_between_the_phases_of_its_project() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let [phase, phase_of_2, phase_of_3] = api.has_phases().await;
    mia.creates_task(json!({})).await;
    let path = "/api/tasks/1/phase";
    patches!(mia, path, {"phaseId": phase});
    assert_eq!(task(&mia, 1).await["phaseId"], phase);
    let before = api.table_dump().await;
    for (body, fault) in [
        (json!({"phaseId": 99}), "unknown"),
        (json!({"phaseId": phase_of_3}), "unknown"),
        (json!({"phaseId": phase_of_2}), "project"),
    ] {
        let faults = [("/phaseId", fault)];
        mia.patch(path, body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, api.table_dump().await);
    patches!(mia, path, {"phaseId": null});
    assert_eq!(task(&mia, 1).await["phaseId"], Value::Null);
}
