//! A workspace of the page: an object with these methods.

use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use glove_wasm::json::codec::{Read, from_text};
use glove_wasm::portable::BoxFuture;
use glove_wasm_page::values::{reason, settled};
use glove_wasm_task::layout::WorkspacePath;
use glove_wasm_task::runtime::{Entry, Lease, Workspace};
use glove_wasm_task::{TaskError, TaskErrorKind};

#[wasm_bindgen]
extern "C" {
    #[derive(Clone, Debug)]
    pub type PageFiles;

    /// A `Uint8Array`, or nothing where there is no file.
    #[wasm_bindgen(method, structural, catch)]
    fn read(this: &PageFiles, path: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn write(this: &PageFiles, path: &str, content: &str) -> Result<Promise, JsValue>;
    /// Writes only where there still is `before`, or no file; nothing where it did not.
    #[wasm_bindgen(method, structural, catch)]
    fn swap(this: &PageFiles, path: &str, before: Option<&str>, content: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn append(this: &PageFiles, path: &str, content: &str) -> Result<Promise, JsValue>;
    /// JSON `[{path, size}, …]`, in any order.
    #[wasm_bindgen(method, structural, catch)]
    fn list(this: &PageFiles, folder: &str) -> Result<Promise, JsValue>;
    /// A function that gives the lease back, or nothing where somebody else has it.
    #[wasm_bindgen(method, structural, catch)]
    fn lease(this: &PageFiles) -> Result<Promise, JsValue>;
}

#[derive(Clone, Debug)]
pub(crate) struct PageWorkspace {
    pub(crate) files: PageFiles,
}

#[derive(Read)]
struct Listed {
    path: String,
    size: u64,
}

/// The lease in the hands of the page.
struct Release(Function);

impl Drop for Release {
    fn drop(&mut self) {
        let _ = self.0.call0(&JsValue::NULL);
    }
}

fn failed(error: &JsValue) -> TaskError {
    TaskError::new(TaskErrorKind::Workspace, reason(error))
}

async fn answered(promise: Result<Promise, JsValue>) -> Result<JsValue, TaskError> {
    settled(promise).await.map_err(|error| failed(&error))
}

impl Workspace for PageWorkspace {
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>> {
        let reading = self.files.read(path.as_str());
        Box::pin(async move {
            let content = answered(reading).await?;
            if content.is_undefined() {
                return Ok(None);
            }
            Ok(Some(content.unchecked_into::<Uint8Array>().to_vec()))
        })
    }

    // All that a task writes is text.
    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        let writing = self.files.write(path.as_str(), &String::from_utf8_lossy(&content));
        Box::pin(async move { answered(writing).await.map(drop) })
    }

    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>> {
        let before = before.map(|before| String::from_utf8_lossy(&before).into_owned());
        let swapping = self.files.swap(path.as_str(), before.as_deref(), &String::from_utf8_lossy(&content));
        Box::pin(async move { Ok(!answered(swapping).await?.is_undefined()) })
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        let adding = self.files.append(path.as_str(), &String::from_utf8_lossy(&content));
        Box::pin(async move { answered(adding).await.map(drop) })
    }

    fn list(&self, folder: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>> {
        let (listing, folder) = (self.files.list(folder.as_str()), folder.clone());
        Box::pin(async move {
            let text = answered(listing).await?.as_string().unwrap_or_default();
            let listed = from_text::<Vec<Listed>>(&text).map_err(|fault| {
                let message = format!("the workspace cannot list {folder}: {fault}");
                TaskError::new(TaskErrorKind::Workspace, message)
            })?;
            let mut entries = Vec::new();
            for Listed { path, size } in listed {
                // What no path can name nobody can read either.
                if let Ok(path) = WorkspacePath::parse(&path)
                    && path.is_below(folder.as_str())
                {
                    entries.push(Entry { path, size });
                }
            }
            entries.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(entries)
        })
    }

    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>> {
        let leasing = self.files.lease();
        Box::pin(async move {
            match answered(leasing).await?.dyn_into::<Function>() {
                Ok(release) => Ok(Lease::new(Release(release))),
                Err(_) => Err(TaskError::in_use()),
            }
        })
    }
}
