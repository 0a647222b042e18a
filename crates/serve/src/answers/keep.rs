//! Writes an answer into the buffer as it comes, whether anybody reads it or not.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::{Instant, sleep_until};

use super::resume::{Answers, END, StartedAnswer, Writing, of_run};
use glove_wasm::error::StoreError;

/// How often the writer of an answer checks whether the answer is still wanted.
const LOOK: Duration = Duration::from_secs(2);

impl Answers {
    pub(super) async fn keep(
        &self,
        id: &str,
        run: &str,
        StartedAnswer { first, mut rest }: StartedAnswer,
        writing: &Writing,
    ) -> Result<(), StoreError> {
        let mut look_at = Instant::now() + LOOK;
        let mut piece = Some(first);
        loop {
            let is_over = piece.is_none();
            let text = piece.unwrap_or_default();
            let mut events: Vec<_> = text
                .split("\n\n")
                .filter(|event| !event.is_empty())
                .map(|event| of_run(run, event))
                .collect();
            if is_over {
                events.push(of_run(run, END));
            }
            if writing.stop.signal().is_aborted() {
                return Ok(());
            }
            if !events.is_empty() && self.buffer.append(id, events).await? == 0 {
                // Somebody has deleted it.
                return self.buffer.delete(id).await;
            }
            writing.written.send_replace(());
            if is_over {
                return Ok(());
            }
            piece = loop {
                let stopped = pin!(writing.stop.signal().aborted());
                let (next, look) = (pin!(rest.recv()), pin!(sleep_until(look_at)));
                match select(select(next, look), stopped).await {
                    Either::Left((Either::Left((piece, _)), _)) => break piece,
                    Either::Left((Either::Right(_), _)) => {
                        look_at = Instant::now() + LOOK;
                        // Where it cannot be looked, the next event will tell.
                        let kept = self.buffer.read(id, 0).await;
                        if kept.is_ok_and(|kept| !kept.first().is_some_and(|first| first.ends_with(run))) {
                            return Ok(());
                        }
                    }
                    Either::Right(_) => return Ok(()),
                }
            };
        }
    }
}
