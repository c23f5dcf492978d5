shared::runtime::main!(shared::serve::run, directory::routes());
