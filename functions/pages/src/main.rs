shared::runtime::main!(shared::serve::run_open, pages::routes);
