shared::runtime::main!(shared::serve::run, auth::routes());
