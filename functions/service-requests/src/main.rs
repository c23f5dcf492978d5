shared::runtime::main!(shared::serve::run, service_requests::routes());
