runtime::main!(runtime::background::run::<action_worker::Worker>);
