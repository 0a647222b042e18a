//! What a model only quotes: between code fences, and behind a `<think>` in the middle of a line. No mark counts there.

const TAGS: [&str; 2] = ["<think>", "</think>"];

/// Reads the text that is shown, byte by byte, and remembers nothing of it but this.
#[derive(Debug)]
pub(super) struct Quoting {
    open: Open,
    /// The fence sign that came last, and how often in a row.
    sign: u8,
    run: usize,
    /// The run has nothing before it on its line.
    leads: bool,
    /// Nothing but blanks on this line so far.
    blank: bool,
    /// This line closes the fence unless something follows.
    closes: bool,
    /// How much of the tag that would change something has come.
    tag: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Think,
    Fence {
        sign: u8,
        length: usize,
        /// It has lines of its own, so that only another such line closes it.
        leads: bool,
        /// The line on which it was opened goes on.
        here: bool,
    },
}

impl Default for Quoting {
    fn default() -> Self {
        Quoting { open: Open::Nothing, sign: 0, run: 0, leads: false, blank: true, closes: false, tag: 0 }
    }
}

impl Quoting {
    pub(super) fn is_open(&self) -> bool {
        self.open != Open::Nothing
    }

    pub(super) fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            self.byte(byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.run > 0 && byte == self.sign {
            self.run += 1;
            return;
        }
        self.end_of_run();
        match byte {
            b'`' | b'~' => {
                (self.sign, self.run, self.leads) = (byte, 1, self.blank);
                (self.blank, self.closes) = (false, false);
            }
            b'\n' => {
                if self.closes {
                    self.open = Open::Nothing;
                } else if let Open::Fence { here, .. } = &mut self.open {
                    *here = false;
                }
                (self.blank, self.closes) = (true, false);
            }
            b' ' | b'\t' | b'\r' => {}
            _ => (self.blank, self.closes) = (false, false),
        }
        self.tag(byte);
    }

    fn end_of_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        match self.open {
            // A wave that stands in a text is no fence.
            Open::Nothing if run >= 3 && (self.sign == b'`' || self.leads) => {
                self.open = Open::Fence { sign: self.sign, length: run, leads: self.leads, here: true };
            }
            Open::Fence { sign, length, leads, here } if sign == self.sign && run >= length => {
                if here || !leads {
                    self.open = Open::Nothing;
                } else {
                    self.closes = self.leads;
                }
            }
            _ => {}
        }
    }

    fn tag(&mut self, byte: u8) {
        let [begin, end] = TAGS;
        let (tag, then) = match self.open {
            Open::Nothing => (begin, Open::Think),
            Open::Think => (end, Open::Nothing),
            Open::Fence { .. } => return,
        };
        // Its first sign comes in it only once, so nothing of it is read twice.
        let first = usize::from(byte == b'<');
        self.tag = if tag.as_bytes().get(self.tag) == Some(&byte) { self.tag + 1 } else { first };
        if self.tag == tag.len() {
            (self.open, self.tag) = (then, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a line behind these texts would be quoted.
    fn is_quoted(text: &str) -> bool {
        let mut quoting = Quoting::default();
        quoting.read(text);
        quoting.is_open()
    }

    #[test]
    fn a_fence_is_closed_by_one_that_is_as_long_and_stands_alone() {
        for text in [
            "```\n",
            "```json\n{}\n",
            "Write: ```\n",
            "  ~~~\n",
            "````\n```\n",
            "```\nnot ``` here\n",
            "```\n``` nor here\n",
            "```\n~~~\n",
            "```\nx\n```\ny\n```\n",
            "> ```\n",
        ] {
            assert!(is_quoted(text), "{text:?}");
        }
        for text in [
            "",
            "`a` and ``b``\n",
            "a ~~~ b\n",
            "```\nx\n```\n",
            "```\nx\n  `````  \r\n",
            "```x```\n",
            "Write ```x``` here\n",
            "Write: ```\nx\n``` here\n",
            "> ```\n> x\n> ```\n",
        ] {
            assert!(!is_quoted(text), "{text:?}");
        }
    }

    #[test]
    fn thoughts_in_a_line_are_open_until_they_are_closed() {
        for text in
            ["Hm <think>", "a <<think>\nb", "<think>a</think><think>", "<think></thin>", "<think>```\n"]
        {
            assert!(is_quoted(text), "{text:?}");
        }
        for text in ["<thinking>", "<th`ink>", "a <think>b\n</think>", "<think>```\n</think>", "`<thin`k>"] {
            assert!(!is_quoted(text), "{text:?}");
        }
    }
}
