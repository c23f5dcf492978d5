shared::runtime::main!(shared::serve::run, managed_services::routes());
