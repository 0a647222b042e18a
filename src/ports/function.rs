//! Closures behind a pointer. `dyn Fn` cannot say "Send where there are threads", so this stands in for it.

use crate::portable::{MaybeSend, MaybeSync};

pub(crate) trait Function<A, R>: MaybeSend + MaybeSync {
    fn call(&self, argument: A) -> R;
}

impl<A, R, F: Fn(A) -> R + MaybeSend + MaybeSync> Function<A, R> for F {
    fn call(&self, argument: A) -> R {
        self(argument)
    }
}
