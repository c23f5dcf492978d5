shared::runtime::main!(shared::serve::run, milestones::routes());
