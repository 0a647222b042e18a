//! What goes along with a message: files that it names, and what the person ran themself.

use std::time::Instant;

use glove_wasm::ports::AbortHandle;
use glove_wasm::runtime::Prompt;

use super::commands::is_command;
use super::{FRAME, LOOK, Screen};
use crate::attached::{self, Named, attached, named, text_part};
use crate::decision::Decision;
use crate::failure::Failure;
use crate::incoming::Incoming;
use crate::own_command::OwnCommand;
use crate::prompt;
use crate::questions::Answer;
use crate::reading::Reading;
use crate::terminal_text;
use crate::typed_ahead::{TypedAhead, Wish};

impl Screen<'_> {
    /// The message that a line means which calls a skill of the project. A command of that name comes first.
    pub(super) fn called(&self, line: &str) -> Option<String> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let skill =
            self.open_agent.skills.iter().find(|skill| name.strip_prefix('/') == Some(&skill.name))?;
        (!is_command(name)).then(|| skill.message(rest.trim()))
    }

    /// The files that a message names. Of each that is not in the folder the person is asked, once in a session.
    pub(super) fn files_of(&mut self, text: &str) -> Result<Result<Vec<Named>, String>, Failure> {
        let files = match named(text, &self.open_agent.folder) {
            Ok(files) => files,
            Err(why) => return Ok(Err(why)),
        };
        for file in files.iter().filter(|file| file.is_outside) {
            if self.sent_from_outside.contains(&file.path) {
                continue;
            }
            let reading = Reading::plain([terminal_text::name(&file.path.to_string_lossy())]);
            let decision = Decision::unless("Don't send the message", "Send the file to the model");
            let question = "Send this file, which is not in the folder of the session?";
            let answer = prompt::decide(&reading, question, decision, false)?;
            if !matches!(answer, Some(Answer::Value(value)) if value.as_str() == "true") {
                return Ok(Err(format!("@{} stays here", file.name)));
            }
            self.sent_from_outside.push(file.path.clone());
        }
        Ok(Ok(files))
    }

    /// A message with these files, and with what the person ran before; and a line about the files.
    pub(super) fn prompt_of(
        &self,
        text: &str,
        named: &[Named],
        own_commands: &[OwnCommand],
    ) -> Result<(Prompt, Option<String>), String> {
        let files = attached(named)?;
        let about = (!files.is_empty()).then(|| attached::about(named, &files));
        let mut prompt = Prompt::new(text);
        if !files.is_empty() || !own_commands.is_empty() {
            let mut parts: Vec<_> = own_commands.iter().map(OwnCommand::part).collect();
            parts.push(text_part(text.to_owned()));
            parts.extend(files);
            prompt.message.content = Some(parts);
        }
        Ok((prompt, about))
    }

    /// The files of a message that is sent while the agent works, when there is no line to ask in.
    pub(super) fn files_meanwhile(&self, text: &str) -> Result<Vec<Named>, String> {
        let files = named(text, &self.open_agent.folder)?;
        let unasked = |file: &&Named| file.is_outside && !self.sent_from_outside.contains(&file.path);
        match files.iter().find(unasked) {
            Some(file) => Err(format!(
                "@{} is not in the folder of the session, and you are asked about it when the answer is there",
                file.name
            )),
            None => Ok(files),
        }
    }

    /// Runs a command of the person and shows its output. Ctrl-C stops it.
    pub(super) fn run_own(&mut self, command: &str) -> Result<(), Failure> {
        if command.is_empty() {
            return Ok(self.display.line("! and a command runs it, such as !git status")?);
        }
        let abort = AbortHandle::new();
        let (workspace, signal, run) =
            (self.open_agent.workspace.clone(), abort.signal(), command.to_owned());
        let running = std::thread::spawn(move || workspace.run_command(&run, &signal));
        let _ends_with_the_program = self.signals.also_end(&abort);
        let (started_at, mut drawn) = (Instant::now(), Instant::now());
        let mut typed = TypedAhead::begin(String::new());
        while !running.is_finished() {
            while let Some(wish) = typed.next()? {
                match wish {
                    Wish::Stop => abort.abort(),
                    Wish::Switch => self.modes.switch(),
                    Wish::Suspend => {
                        self.display.leave()?;
                        typed.suspend()?;
                    }
                    // There is nobody to read it yet.
                    Wish::Steer(text) | Wish::Queue(text) => typed.put_before(&text),
                    Wish::TakeBack => {}
                }
            }
            // The session does nothing meanwhile.
            if let Ok(Incoming::Interrupt) = self.inbox.receiver.recv_timeout(LOOK) {
                abort.abort();
            }
            if drawn.elapsed() > FRAME {
                drawn = Instant::now();
                let status = format!("running … {} s (esc stops)", started_at.elapsed().as_secs());
                self.display.draw(&status, &self.typed_rows(typed.draft()))?;
            }
        }
        self.display.finish()?;
        self.draft = (typed.into_draft(), String::new());
        let output = match running.join() {
            Ok(Ok(output)) => output,
            Ok(Err(failure)) => failure.message(),
            Err(_) => "the command was not run to its end".to_owned(),
        };
        self.display.print_lines(&terminal_text::all_output_lines(&output), false)?;
        let made_room = self.own_commands.add(OwnCommand { command: command.to_owned(), output });
        let told = if made_room {
            "; the output of an earlier command is too much besides, and is not sent"
        } else {
            ""
        };
        Ok(self.display.lines(&[format!("the model reads this with your next message{told}")], true)?)
    }
}
