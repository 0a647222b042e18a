//! Words on a pipe: the number of who asks, the lengths of name and text, and both.

use std::io::{self, Read, Write};

use super::job::Message;

const LONGEST_NAME: u32 = 32;

pub(super) fn write(to: &mut impl Write, message: &Message) -> io::Result<()> {
    let length = |text: &str| {
        u32::try_from(text.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a text is too long"))
    };
    let mut frame = Vec::with_capacity(12 + message.name.len() + message.text.len());
    for number in [message.id, length(&message.name)?, length(&message.text)?] {
        frame.extend_from_slice(&number.to_le_bytes());
    }
    frame.extend_from_slice(message.name.as_bytes());
    frame.extend_from_slice(message.text.as_bytes());
    to.write_all(&frame)?;
    to.flush()
}

/// None at the end. A text of more than `most` bytes is no word of ours.
pub(super) fn read(from: &mut impl Read, most: usize) -> io::Result<Option<Message>> {
    let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let mut numbers = [0_u32; 3];
    for number in &mut numbers {
        let mut bytes = [0; 4];
        match from.read_exact(&mut bytes) {
            Ok(()) => *number = u32::from_le_bytes(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let [id, name, text] = numbers;
    if name > LONGEST_NAME || u64::from(text) > most as u64 {
        return Err(wrong("a word on the pipe is longer than any"));
    }
    let mut piece = |length: u32| {
        let mut bytes = Vec::new();
        let read = from.take(u64::from(length)).read_to_end(&mut bytes)?;
        match read == length as usize {
            true => String::from_utf8(bytes).map_err(|_| wrong("a message on the pipe is not UTF-8")),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    };
    Ok(Some(Message { id, name: piece(name)?, text: piece(text)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written_and_longer_ones_are_refused() {
        let mut pipe = Vec::new();
        write(&mut pipe, &Message { id: 7, name: "read".to_owned(), text: "[\"ä\"]".to_owned() }).unwrap();
        write(&mut pipe, &Message::word("done", "")).unwrap();
        let mut from = pipe.as_slice();
        let first = read(&mut from, 100).unwrap().unwrap();
        assert_eq!((first.id, first.name.as_str(), first.text.as_str()), (7, "read", "[\"ä\"]"));
        assert!(read(&mut from, 100).unwrap().unwrap().is_last());
        assert!(read(&mut from, 100).unwrap().is_none());
        assert!(read(&mut pipe.as_slice(), 3).is_err());
        assert!(read(&mut pipe.get(..20).unwrap(), 100).is_err());
        assert!(read(&mut [255; 24].as_slice(), 100).is_err());
    }
}
