//! What differs between native hosts and pages, where futures need no `Send` as there is one thread, and between the wasm files of pages.

use std::pin::Pin;

#[cfg(not(target_arch = "wasm32"))]
mod target {
    pub trait MaybeSend: Send {}
    impl<T: Send + ?Sized> MaybeSend for T {}
    pub trait MaybeSync: Sync {}
    impl<T: Sync + ?Sized> MaybeSync for T {}
    pub type BoxFuture<'a, T> = super::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

    #[derive(Debug, Clone)]
    pub struct NativeOnly<T>(T);
    impl<T> NativeOnly<T> {
        pub fn with(make: impl FnOnce() -> T) -> Option<Self> {
            Some(NativeOnly(make()))
        }
        pub fn into_inner(self) -> T {
            self.0
        }
        pub fn get(&self) -> &T {
            &self.0
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod target {
    pub trait MaybeSend {}
    impl<T: ?Sized> MaybeSend for T {}
    pub trait MaybeSync {}
    impl<T: ?Sized> MaybeSync for T {}
    pub type BoxFuture<'a, T> = super::Pin<Box<dyn Future<Output = T> + 'a>>;

    #[derive(Debug, Clone)]
    pub struct NativeOnly<T>(std::convert::Infallible, std::marker::PhantomData<T>);
    impl<T> NativeOnly<T> {
        pub fn with(_: impl FnOnce() -> T) -> Option<Self> {
            None
        }
        pub fn into_inner(self) -> T {
            match self.0 {}
        }
        pub fn get(&self) -> &T {
            match self.0 {}
        }
    }
}

/// What native hosts alone ask for. In a page there is none, so that the compiler leaves out of its file what would be done with one.
#[doc(hidden)]
pub use target::NativeOnly;
pub use target::{BoxFuture, MaybeSend, MaybeSync};

/// It may be in a page, whose browser asks other servers whether they allow that, and which is no server itself.
pub(crate) const MAY_BE_IN_PAGE: bool = cfg!(target_arch = "wasm32");
/// This build speaks to the providers of models. Without it there is the endpoint's format alone, and the linker leaves out what is behind this.
pub(crate) const SPEAKS_TO_PROVIDERS: bool = cfg!(feature = "providers");
/// This build has sessions. Without them, each request has a model of its own.
pub(crate) const HAS_SESSIONS: bool = cfg!(feature = "sessions");
