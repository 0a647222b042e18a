//! Commands that a person runs themself, as `!command`: what came of them goes to the model with the next message.

use std::collections::VecDeque;

use glove_wasm::message::ContentPart;

use crate::attached::text_part;

/// What goes to the model of all commands together; what was run first is left out first.
const MOST: usize = 100_000;

/// A command and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OwnCommand {
    pub command: String,
    pub output: String,
}

/// What was run since the last message.
#[derive(Debug, Default)]
pub(crate) struct OwnCommands(VecDeque<OwnCommand>);

impl OwnCommands {
    /// True if the output of an earlier one made room.
    pub(crate) fn add(&mut self, command: OwnCommand) -> bool {
        self.0.push_back(command);
        let count = self.0.len();
        while self.0.len() > 1 && self.0.iter().map(OwnCommand::size).sum::<usize>() > MOST {
            self.0.pop_front();
        }
        self.0.len() < count
    }

    pub(crate) fn take(&mut self) -> Vec<OwnCommand> {
        self.0.drain(..).collect()
    }

    /// Of a message that was taken back: they go with the next one.
    pub(crate) fn put_before(&mut self, commands: Vec<OwnCommand>) {
        for command in commands.into_iter().rev() {
            self.0.push_front(command);
        }
    }
}

impl OwnCommand {
    fn size(&self) -> usize {
        self.command.len() + self.output.len()
    }

    pub(crate) fn part(&self) -> ContentPart {
        let OwnCommand { command, output } = self;
        text_part(format!("The user ran this command:\n$ {command}\n\nIts output:\n{output}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, size: usize) -> OwnCommand {
        OwnCommand { command: name.to_owned(), output: "x".repeat(size) }
    }

    #[test]
    fn what_was_run_goes_once_and_the_first_makes_room() {
        let mut commands = OwnCommands::default();
        assert!(!commands.add(command("one", 60_000)) && !commands.add(command("two", 30_000)));
        assert!(commands.add(command("three", 50_000)), "the first made room");
        let taken = commands.take();
        assert_eq!(taken.iter().map(|run| run.command.as_str()).collect::<Vec<_>>(), ["two", "three"]);
        assert!(commands.take().is_empty());
        commands.add(command("four", 1));
        commands.put_before(taken);
        assert_eq!(commands.take().len(), 3);
    }

    #[test]
    fn the_model_reads_the_command_and_its_output() {
        let part = OwnCommand { command: "ls".to_owned(), output: "a.txt".to_owned() }.part();
        assert_eq!(part.text.unwrap(), "The user ran this command:\n$ ls\n\nIts output:\na.txt");
    }
}
