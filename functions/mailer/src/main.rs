runtime::main!(runtime::background::run::<mailer::Mailer>);
