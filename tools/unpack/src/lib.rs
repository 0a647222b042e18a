//! Puts a wasm file together from the text that scripts/lib/pack-wasm.mjs made of it; that file says what is in the text.
//!
//! The text is part of the same release as this, so nothing of it is checked.
#![no_std]

const LETTERS: u8 = 89;
/// The letters behind these are marks: they stand with the letter behind them for a rare byte.
const PLAIN: u8 = 87;
const STREAMS: u8 = 21;
/// The streams that are known by their places.
const REST: u8 = 0;
const OPCODES: u8 = 1;
const LOCALS: u8 = 2;
/// The first of those that go by the next opcode.
const LOCAL: u8 = 3;
const SMALL: u8 = 6;
const ODD: u8 = 12;
const CALL: u8 = 13;
/// A call's function is told in two numbers below this, the smaller one first.
const FUNCTIONS: u32 = 48;

const CODE_SECTION: u8 = 10;
const BLOCK: u8 = 0x02;
const IF: u8 = 0x04;
const END: u8 = 0x0b;
const FIRST_MEMORY: u8 = 0x28;
const LAST_MEMORY: u8 = 0x3e;
const CONSTANT: u8 = 0x41;

/// Behind the text there must be room for what it says: for the streams as many bytes as the text has, and for the file.
/// Gives where the file is.
///
/// # Safety
/// The text and the room are memory that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(text: *const u8, length: usize, size: usize) -> *const u8 {
    let mut bytes = text.wrapping_add(length).cast_mut();
    let mut unpacking = Unpacking::read(text, &mut bytes);
    let file = bytes.cast_const();
    unpacking.out = bytes;
    unpacking.sections(file.wrapping_add(size));
    file
}

struct Unpacking {
    /// Where each stream is read on.
    streams: [*const u8; 256],
    /// By opcode: the stream of the number behind it. Then by the next opcode: how many streams further a local stands, and a
    /// small constant.
    kinds: [u8; 3 * 256],
    /// By opcode: the alignment that goes without saying.
    natural: [u8; 256],
    out: *mut u8,
}

impl Unpacking {
    /// The text's head, and its streams as bytes.
    fn read(mut text: *const u8, bytes: &mut *mut u8) -> Self {
        let mut places = [LETTERS; 256];
        for place in 0..LETTERS {
            places[usize::from(next(&mut text))] = place;
        }
        let mut letters = Letters { text, places };
        let mut unpacking = Unpacking {
            streams: [core::ptr::null(); 256],
            kinds: [0; 3 * 256],
            natural: [0; 256],
            out: *bytes,
        };
        for kind in &mut unpacking.kinds {
            *kind = letters.next();
        }
        for op in FIRST_MEMORY..=LAST_MEMORY {
            unpacking.natural[usize::from(op)] = letters.next();
        }
        for stream in 0..STREAMS {
            unpacking.streams[usize::from(stream)] = *bytes;
            letters.decode(stream == REST, bytes);
        }
        unpacking
    }

    fn sections(&mut self, end: *const u8) {
        self.copy(REST, 8);
        while self.out.cast_const() < end {
            let section = self.take(REST);
            put(&mut self.out, section);
            let size = self.number(REST);
            if section == CODE_SECTION {
                for _ in 0..self.number(REST) {
                    self.body();
                }
            } else {
                self.copy(REST, size);
            }
        }
    }

    fn body(&mut self) {
        // The size stands before the body, and is known behind it.
        const ROOM: usize = 5;
        let start = self.out;
        self.out = start.wrapping_add(ROOM);
        for _ in 0..self.number(LOCALS) {
            self.number(LOCALS);
            self.copy(LOCALS, 1);
        }
        let mut depth = 1;
        while depth > 0 {
            let mut op = self.take(OPCODES);
            let mut alignment = self.natural[usize::from(op)];
            if (0xe0..0xf0).contains(&op) {
                alignment = op - 0xe0;
                op = self.take(OPCODES);
            }
            put(&mut self.out, if matches!(op, 0xf0 | 0xf1) { CONSTANT } else { op });
            match op {
                BLOCK..=IF => depth += 1,
                END => depth -= 1,
                FIRST_MEMORY..=LAST_MEMORY => put(&mut self.out, alignment),
                _ => {}
            }
            let stream = self.kinds[usize::from(op)];
            match stream {
                REST => {}
                LOCAL | SMALL => {
                    // SAFETY: the end of a function stands behind each of them.
                    let next = unsafe { *self.streams[usize::from(OPCODES)] };
                    let known = if stream == LOCAL { 256 } else { 512 };
                    self.number(stream + self.kinds[known + usize::from(next)]);
                }
                ODD => {
                    let length = u32::from(self.take(ODD)) + 256 * u32::from(self.take(ODD));
                    self.copy(ODD, length);
                }
                CALL => {
                    let function = u32::from(self.take(CALL)) + FUNCTIONS * u32::from(self.take(CALL));
                    put_number(&mut self.out, function);
                }
                _ => {
                    self.number(stream);
                }
            }
        }
        let (body, end) = (start.wrapping_add(ROOM), self.out);
        let size = end as usize - body as usize;
        let mut place = start;
        put_number(&mut place, size as u32);
        // SAFETY: both are in the room that was given.
        unsafe { core::ptr::copy(body, place, size) };
        self.out = place.wrapping_add(size);
    }

    fn take(&mut self, stream: u8) -> u8 {
        next(&mut self.streams[usize::from(stream)])
    }

    fn copy(&mut self, stream: u8, count: u32) {
        for _ in 0..count {
            let byte = self.take(stream);
            put(&mut self.out, byte);
        }
    }

    /// Copies a number in LEB128, and gives it.
    fn number(&mut self, stream: u8) -> u32 {
        let (mut value, mut shift) = (0, 0u32);
        loop {
            let byte = self.take(stream);
            put(&mut self.out, byte);
            value |= u32::from(byte & 127).wrapping_shl(shift);
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }
}

struct Letters {
    /// Where it is read on.
    text: *const u8,
    /// The place of each letter.
    places: [u8; 256],
}

impl Letters {
    fn next(&mut self) -> u8 {
        self.places[usize::from(next(&mut self.text))]
    }

    /// A stream: its length in four letters, 256 bits that tell which bytes are one letter, the text.
    fn decode(&mut self, is_text: bool, bytes: &mut *mut u8) {
        let mut length = 0;
        for _ in 0..4 {
            length = length * 64 + u32::from(self.next());
        }
        let mut meant = [0; 512];
        let mut is_taken = [false; 256];
        let mut is_frequent = [false; 256];
        let mut bits = 0;
        for byte in 0..=255u8 {
            if byte % 6 == 0 {
                bits = self.next();
            }
            is_frequent[usize::from(byte)] = bits & 32 != 0;
            bits <<= 1;
            let place = self.places[usize::from(byte)];
            if is_text && is_frequent[usize::from(byte)] && place < PLAIN {
                // In text letters stand for themselves.
                meant[usize::from(place)] = byte;
                is_taken[usize::from(place)] = true;
            }
        }
        let (mut frequent, mut rare) = (0u8, usize::from(LETTERS));
        for byte in 0..=255u8 {
            if !is_frequent[usize::from(byte)] {
                meant[rare % 512] = byte;
                rare += 1;
            } else if !is_text || self.places[usize::from(byte)] >= PLAIN {
                while is_taken[usize::from(frequent)] {
                    frequent += 1;
                }
                meant[usize::from(frequent)] = byte;
                frequent += 1;
            }
        }
        for _ in 0..length {
            let mut at = usize::from(self.next());
            if at >= usize::from(PLAIN) {
                at = usize::from(LETTERS) * (at + 1 - usize::from(PLAIN)) + usize::from(self.next());
            }
            put(bytes, meant[at % 512]);
        }
    }
}

fn next(from: &mut *const u8) -> u8 {
    // SAFETY: the lengths in the text are true.
    let byte = unsafe { **from };
    *from = from.wrapping_add(1);
    byte
}

fn put(to: &mut *mut u8, byte: u8) {
    // SAFETY: the caller of `unpack` gave room enough.
    unsafe { **to = byte };
    *to = to.wrapping_add(1);
}

fn put_number(to: &mut *mut u8, mut number: u32) {
    while number > 127 {
        put(to, number as u8 | 128);
        number >>= 7;
    }
    put(to, number as u8);
}

#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
