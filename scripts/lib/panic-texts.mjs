// What panics of the standard library and of our dependencies would say. They are traps in the wasm files (tools/bindgen), so nobody
// reads it: zeros take its place, which wasm-opt leaves out. What wasm-bindgen throws is no panic, and stays.

const texts = [
  "[...]",
  "a Display implementation returned an error unexpectedly",
  "a formatting trait implementation returned an error when the underlying stream did not",
  "Arc counter overflow",
  "assertion `left ",
  " right` failed: ",
  " right` failed",
  "assertion failed: (*next).value.is_some()",
  "assertion failed: (*tail).value.is_none()",
  "assertion failed: prev",
  "assertion failed: self.is_char_boundary(end)",
  "assertion failed: self.is_char_boundary(idx)",
  "assertion failed: self.is_char_boundary(new_len)",
  "assertion failed: self.is_char_boundary(start)",
  "assertion failed: slot.is_none()",
  "`async fn` resumed after completion",
  "`at` split index (is ",
  "begin > end (",
  ") when slicing `",
  "buffer space exhausted; sending this messages would overflow the state",
  "called `Option::unwrap()` on a `None` value",
  "called `Result::unwrap()` on an `Err` value",
  "cannot clone `Sender` -- too many outstanding senders",
  "cannot poll Select twice",
  "cannot recursively acquire mutex",
  "cannot remove a char from the end of a string",
  "capacity overflow",
  "end byte index ",
  " is not a char boundary; it is inside ",
  " is out of bounds of `",
  "finish: callbacks should be Some",
  "finish: result should be None",
  "future still here when dropping",
  "inconsistent in drop",
  "index out of bounds: the len is ",
  " but the index is ",
  "insertion index (is ",
  "internal error: entered unreachable code",
  "internal error: entered unreachable code: invalid Once state",
  "LazyCell instance has previously been poisoned",
  "mid > len",
  "Once instance has previously been poisoned",
  "one-time initialization may not be performed recursively",
  "range end index ",
  "range start index ",
  " out of range for slice of length ",
  "Ready polled after completion",
  "`Ready` polled after completion",
  "RefCell already borrowed",
  "RefCell already mutably borrowed",
  "removal index (is ",
  ") should be < len (is ",
  ") should be <= len (is ",
  "slice index starts at ",
  " but ends at ",
  "start byte index ",
  "Tried to shrink to a larger capacity",
].map((text) => Buffer.from(text));

/** The same wasm file without them. */
export function withoutPanicTexts(wasm) {
  const out = Buffer.from(wasm);
  // What holds another one goes first.
  for (const text of texts.toSorted((one, other) => other.length - one.length)) {
    for (let at = out.indexOf(text); at >= 0; at = out.indexOf(text, at)) out.fill(0, at, at + text.length);
  }
  if (out.equals(wasm))
    throw new Error("the wasm file has no text of a panic; scripts/lib/panic-texts.mjs knows none of this version's");
  return out;
}
