runtime::main!(runtime::background::run::<publisher::Publisher>);
