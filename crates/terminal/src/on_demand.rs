//! Lines of an input, each read when a question wants it, and none waited for once the question is gone.

use std::io::{self, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::parts::keys::has_input;

/// So often it is looked whether a question still stands.
const LOOK: Duration = Duration::from_millis(50);

/// Reads on a thread of its own, which waits for the input in the place of whoever asks.
pub(crate) struct OnDemand {
    wants: Sender<()>,
    lines: Receiver<io::Result<String>>,
    /// A line is being read, for this question or for one that is gone.
    is_reading: bool,
}

impl OnDemand {
    /// `read` appends a line; nothing at the end of the input.
    pub(crate) fn read_by(mut read: impl FnMut(&mut String) -> io::Result<usize> + Send + 'static) -> Self {
        let ((wants, wanted), (found, lines)) = (channel(), channel());
        thread::spawn(move || {
            while wanted.recv().is_ok() {
                let mut line = String::new();
                if found.send(read(&mut line).map(|_| line)).is_err() {
                    break;
                }
            }
        });
        OnDemand { wants, lines, is_reading: false }
    }

    /// Before a question is shown: what came for one that is gone is no answer to it. True where that was a line.
    pub(crate) fn forget(&mut self) -> bool {
        self.forget_within(Duration::ZERO)
    }

    /// After a question took the place of one that is gone: whoever was answering that one has not read this one yet.
    pub(crate) fn forget_within(&mut self, moment: Duration) -> bool {
        if !self.is_reading {
            return false;
        }
        let Ok(line) = self.lines.recv_timeout(moment) else { return false };
        self.is_reading = false;
        line.is_ok_and(|line| !line.is_empty())
    }

    /// The next line, which is empty at the end of the input; `None` where the question is gone before it came.
    pub(crate) fn next(&mut self, stands: &dyn Fn() -> bool) -> io::Result<Option<String>> {
        if !self.is_reading {
            self.is_reading = self.wants.send(()).is_ok();
        }
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => {
                    self.is_reading = false;
                    return line.map(Some);
                }
                Err(RecvTimeoutError::Timeout) if stands() => {}
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(String::new())),
            }
        }
    }
}

/// The same from a terminal, which says when a line is there.
pub(crate) fn typed_line(stands: &dyn Fn() -> bool) -> io::Result<Option<String>> {
    while !has_input(LOOK)? {
        if !stands() {
            return Ok(None);
        }
    }
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(Some(line))
}
