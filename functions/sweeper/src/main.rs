runtime::main!(runtime::background::run::<sweeper::Sweeper>);
