shared::runtime::main!(shared::serve::run, resolution_agent::routes());
