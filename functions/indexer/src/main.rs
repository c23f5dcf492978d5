runtime::main!(runtime::background::run::<indexer::Indexer>);
