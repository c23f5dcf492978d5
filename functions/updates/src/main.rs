shared::runtime::main!(shared::serve::run, updates::routes());
