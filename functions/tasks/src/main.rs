shared::runtime::main!(shared::serve::run, tasks::routes());
