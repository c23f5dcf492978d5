//! Playbooks of the demo's alerts.

use local::demo_data::DemoData;

use super::*;

#[test]
fn each_open_alert_of_the_demo_has_a_playbook() {
    let (demo, playbooks) = (DemoData::shipped().unwrap(), Playbooks::shipped().unwrap());
    for alert in demo.open_alerts() {
        let case = case(&json!(alert));
        let (matching, _) = playbooks.for_case(&case);
        assert!(!matching.is_empty(), "{}", alert["signalType"]);
    }
}
