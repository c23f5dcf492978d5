shared::runtime::main!(shared::serve::run, activities::routes());
