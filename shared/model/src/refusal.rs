//! The problems of an operation that do not follow from its arguments, as types.
//!
//! A handler whose error is `Problem<ConcurrentChange>` or `Problem<(NotFound, ConcurrentChange)>` is
//! documented with these codes. The tests compare every answer with the document.

use crate::Code;

pub use crate::code::{Refusals, types::*};

impl Refusals for () {
    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

macro_rules! several {
    ($($name:ident)+) => {
        impl<$($name: Refusals),+> Refusals for ($($name,)+) {
            fn codes() -> Vec<Code> {
                let mut codes = Vec::new();
                $(codes.extend($name::codes());)+
                codes
            }
        }
    };
}

several!(A B);
several!(A B C);
several!(A B C D);
several!(A B C D E);
several!(A B C D E F);
several!(A B C D E F G);
several!(A B C D E F G H);
