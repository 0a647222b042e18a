//! What a session, its driver and the work in flight have in common.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use futures_channel::mpsc::UnboundedSender;

use crate::attachments::Record;
use crate::error::{Error, StoreError};
use crate::ids::Ids;
use crate::message::Message;
use crate::ports::{Clock, IdSource, ModelAdapter, StoreAdapter, Subscriber, ToolHost};
use crate::prices::Prices;
use crate::run::effect::Effect;
use crate::run::input::Input;
use crate::run::{OutOfProtocol, Run};
use crate::runtime::command::Command;
use crate::runtime::display::DisplayManager;
use crate::runtime::listeners::{Follower, Listeners};
use crate::runtime::session_tools::SessionTools;
use crate::runtime::tool_run::ToolRun;

pub(crate) struct Shared {
    /// Written by the driver alone, and only for the length of a step. A model or a store reads its request out of
    /// it, and may look at the session meanwhile: readers do not shut out readers, and nobody waits to write.
    run: RwLock<Run>,
    kit: RwLock<Arc<Kit>>,
    pub(crate) store: Arc<dyn StoreAdapter>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) listeners: Arc<Listeners<dyn Subscriber>>,
    /// What models were asked without, as far as the listeners know: each sentence is told once.
    pub(crate) noticed: Arc<Mutex<Ids>>,
    pub(crate) display: DisplayManager,
    /// A run that was going on when its process ended waits for somebody to ask for it.
    pub(crate) resumes_by_hand: AtomicBool,
    /// Such a run was found, and nobody has asked for it yet.
    pub(crate) interrupted: AtomicBool,
    /// The store has refused a write that was not repeated since.
    pub(crate) unwritten: AtomicBool,
    /// What is stored is damaged: what can be read of it is shown, and nothing is changed.
    pub(crate) damage: OnceLock<StoreError>,
    pub(crate) followers: Listeners<dyn Follower>,
    pub(crate) commands: UnboundedSender<Command>,
    /// What running tools have done.
    pub(crate) tool_inputs: UnboundedSender<Input>,
    /// The tools that are running.
    tool_run: Mutex<Vec<Arc<ToolRun>>>,
}

/// What the application may replace while the session lives.
#[derive(Clone)]
pub(crate) struct Kit {
    pub(crate) model: Arc<dyn ModelAdapter>,
    pub(crate) system_prompt: Arc<str>,
    pub(crate) tools: SessionTools,
    pub(crate) prices: Arc<Prices>,
}

impl Record for Shared {
    fn look(&self, look: &mut dyn FnMut(&[Arc<Message>])) {
        look(self.run().messages());
    }
}

impl Shared {
    pub(crate) fn new(
        run: Run,
        kit: Kit,
        store: Arc<dyn StoreAdapter>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        commands: UnboundedSender<Command>,
        tool_inputs: UnboundedSender<Input>,
    ) -> Self {
        let display =
            DisplayManager::with_tool_inputs(Arc::clone(&ids), Arc::clone(&clock), Some(tool_inputs.clone()));
        Shared {
            run: RwLock::new(run),
            kit: RwLock::new(Arc::new(kit)),
            store,
            clock,
            ids,
            listeners: Arc::default(),
            noticed: Arc::default(),
            resumes_by_hand: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            unwritten: AtomicBool::new(false),
            damage: OnceLock::new(),
            followers: Listeners::default(),
            display,
            commands,
            tool_inputs,
            tool_run: Mutex::default(),
        }
    }

    /// The running tool of a call.
    pub(crate) fn tool_run(&self, call_id: &str) -> Option<Arc<ToolRun>> {
        let all = self.tool_run.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|tool_run| tool_run.call_id() == call_id).cloned()
    }

    pub(crate) fn enter(&self, tool_run: Arc<ToolRun>) {
        self.tool_run.lock().unwrap_or_else(PoisonError::into_inner).push(tool_run);
    }

    pub(crate) fn leave(&self, tool_run: &Arc<ToolRun>) {
        self.tool_run
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|other| !Arc::ptr_eq(other, tool_run));
    }

    pub(crate) fn run(&self) -> RwLockReadGuard<'_, Run> {
        self.run.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn change_run(&self, change: impl FnOnce(&mut Run)) {
        change(&mut self.run.write().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn step(&self, input: Input) -> Result<Vec<Effect>, OutOfProtocol> {
        let at = self.clock.now();
        self.run.write().unwrap_or_else(PoisonError::into_inner).step(at, input)
    }

    pub(crate) fn saved(&self) {
        self.run.write().unwrap_or_else(PoisonError::into_inner).saved();
    }

    pub(crate) fn replace_run(&self, run: Run) {
        *self.run.write().unwrap_or_else(PoisonError::into_inner) = run;
    }

    pub(crate) fn kit(&self) -> Arc<Kit> {
        Arc::clone(&self.kit.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn change_kit(&self, change: impl FnOnce(&mut Kit)) {
        let mut kit = self.kit.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = kit.as_ref().clone();
        change(&mut next);
        let before = std::mem::replace(&mut *kit, Arc::new(next));
        drop(kit);
        // What was replaced may run code of its own when it goes.
        drop(before);
    }

    pub(crate) fn session_tools(&self, host: Arc<dyn ToolHost>) -> Result<SessionTools, Error> {
        Ok(SessionTools::new(host, &self.store, &self.ids)?)
    }
}
