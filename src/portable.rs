//! What differs between threads and the browser's single thread: futures need `Send` natively only.

use std::pin::Pin;

#[cfg(not(target_arch = "wasm32"))]
mod target {
    pub trait MaybeSend: Send {}
    impl<T: Send + ?Sized> MaybeSend for T {}
    pub trait MaybeSync: Sync {}
    impl<T: Sync + ?Sized> MaybeSync for T {}
    pub type BoxFuture<'a, T> = super::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
}

#[cfg(target_arch = "wasm32")]
mod target {
    pub trait MaybeSend {}
    impl<T: ?Sized> MaybeSend for T {}
    pub trait MaybeSync {}
    impl<T: ?Sized> MaybeSync for T {}
    pub type BoxFuture<'a, T> = super::Pin<Box<dyn Future<Output = T> + 'a>>;
}

pub use target::{BoxFuture, MaybeSend, MaybeSync};

/// It may be in a page, whose browser asks other servers whether they allow that.
pub(crate) const MAY_BE_IN_PAGE: bool = cfg!(target_arch = "wasm32");
