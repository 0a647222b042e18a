//! Lines of an input, each read when a question wants it, and none waited for once the question is gone.

use std::io::{self, BufRead, ErrorKind, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::parts::keys::has_input;

/// So often it is looked whether a question still stands.
const LOOK: Duration = Duration::from_millis(50);

/// Reads on a thread of its own, which waits for the input in the place of whoever asks. What comes while no question stands is left in the
/// input.
pub(crate) struct OnDemand {
    wants: Sender<()>,
    lines: Receiver<io::Result<Option<String>>>,
    is_wanted: Arc<AtomicBool>,
    /// A line is being read, for this question or for one that is gone.
    is_reading: bool,
}

impl OnDemand {
    /// `read` waits for a line as [`wanted_line`] does.
    pub(crate) fn read_by(
        mut read: impl FnMut(&AtomicBool) -> io::Result<Option<String>> + Send + 'static,
    ) -> Self {
        let ((wants, wanted), (found, lines)) = (channel(), channel());
        let is_wanted = Arc::new(AtomicBool::new(false));
        let stands = Arc::clone(&is_wanted);
        thread::spawn(move || {
            while wanted.recv().is_ok() {
                if found.send(read(&stands)).is_err() {
                    break;
                }
            }
        });
        OnDemand { wants, lines, is_wanted, is_reading: false }
    }

    /// Before a question is shown: what was read for one that is gone is no answer to it. True where that was a line.
    pub(crate) fn forget(&mut self) -> bool {
        let line = match self.lines.try_recv() {
            Ok(line) => line,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return false,
        };
        self.is_reading = false;
        is_some_line(line)
    }

    /// After a question took the place of one that is gone: whoever was answering that one has not read this one yet.
    pub(crate) fn forget_within(&mut self, moment: Duration) -> bool {
        self.receive(moment).is_ok_and(|line| is_some_line(line.map(Some)))
    }

    /// The next line, which is empty at the end of the input; `None` where the question is gone before it came.
    pub(crate) fn next(&mut self, stands: &dyn Fn() -> bool) -> io::Result<Option<String>> {
        loop {
            match self.receive(LOOK) {
                Ok(line) => return line.map(Some),
                Err(RecvTimeoutError::Timeout) if stands() => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.is_wanted.store(false, Ordering::SeqCst);
                    return Ok(None);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(String::new())),
            }
        }
    }

    fn receive(&mut self, moment: Duration) -> Result<io::Result<String>, RecvTimeoutError> {
        let until = Instant::now() + moment;
        self.is_wanted.store(true, Ordering::SeqCst);
        loop {
            if !self.is_reading {
                self.is_reading = self.wants.send(()).is_ok();
            }
            let line = self.lines.recv_timeout(until.saturating_duration_since(Instant::now()))?;
            self.is_reading = false;
            // It had come for nobody; now it is wanted.
            if let Some(line) = line.transpose() {
                return Ok(line);
            }
        }
    }
}

impl Drop for OnDemand {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::SeqCst);
    }
}

fn is_some_line(line: io::Result<Option<String>>) -> bool {
    line.is_ok_and(|line| line.is_some_and(|line| !line.is_empty()))
}

/// A line, empty at the end of the input. Nothing is taken out of the input where nobody wants a line by the time that one comes: whoever
/// reads the input next gets it.
pub(crate) fn wanted_line(input: &mut dyn BufRead, is_wanted: &AtomicBool) -> io::Result<Option<String>> {
    while let Err(error) = input.fill_buf() {
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if !is_wanted.load(Ordering::SeqCst) {
        return Ok(None);
    }
    let mut line = String::new();
    input.read_line(&mut line)?;
    Ok(Some(line))
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

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};
    use std::sync::Mutex;

    use super::*;

    /// Lines come when somebody types them.
    struct Typed(Receiver<&'static str>);

    impl Read for Typed {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let text = self.0.recv().unwrap_or_default();
            into[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }

    /// An input that questions and a program share, as they do the standard input: whoever reads a line keeps others out meanwhile.
    struct Input(Arc<Mutex<BufReader<Typed>>>, Sender<&'static str>);

    impl Input {
        fn new() -> Input {
            let (typing, typed) = channel();
            Input(Arc::new(Mutex::new(BufReader::new(Typed(typed)))), typing)
        }

        fn questions(&self) -> OnDemand {
            let input = Arc::clone(&self.0);
            OnDemand::read_by(move |wanted| wanted_line(&mut *input.lock().unwrap(), wanted))
        }

        fn program(&self) -> String {
            let mut line = String::new();
            self.0.lock().unwrap().read_line(&mut line).unwrap();
            line
        }
    }

    #[test]
    fn a_line_that_comes_after_a_question_is_gone_is_for_the_program() {
        let input = Input::new();
        let mut questions = input.questions();
        assert_eq!(questions.next(&|| false).unwrap(), None);
        input.1.send("the next message\nand one more\n").unwrap();
        assert_eq!(input.program(), "the next message\n");
        assert!(!questions.forget());
        assert_eq!(questions.next(&|| true).unwrap().as_deref(), Some("and one more\n"));
    }

    #[test]
    fn the_end_of_the_input_answers_questions_and_stays_for_the_program() {
        let mut input = Input::new();
        let mut questions = input.questions();
        input.1.send("last").unwrap();
        input.1 = channel().0;
        assert_eq!(questions.next(&|| true).unwrap().as_deref(), Some("last"));
        assert_eq!(questions.next(&|| true).unwrap().as_deref(), Some(""));
        assert_eq!(input.program(), "");
    }

    #[test]
    fn a_line_for_a_question_that_is_gone_is_no_answer_to_the_next_one() {
        let input = Input::new();
        let mut questions = input.questions();
        assert_eq!(questions.next(&|| false).unwrap(), None);
        input.1.send("y\n").unwrap();
        assert!(questions.forget_within(Duration::from_secs(30)));
        assert!(!questions.forget_within(Duration::from_millis(20)));
        input.1.send("n\n").unwrap();
        assert_eq!(questions.next(&|| true).unwrap().as_deref(), Some("n\n"));
    }
}
