runtime::main!(runtime::background::run::<checker::Checker>);
