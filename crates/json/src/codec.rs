//! How values of the runtime are written as JSON and read back: what is stored and what crosses to JavaScript.
//!
//! A type says its form once, by the derives of `macros/`. They give a table of keys and a few one-line matches; the
//! loops over objects, arrays and variants are here, once, for all types. (Code derived by serde was two thirds of the
//! wasm file, because it repeats those loops for each type.)
//!
//! Reading is strict: `check` first goes over the whole text without recursion, then each type takes exactly what it
//! expects, or says what is wrong and where. A lone surrogate in a text becomes U+FFFD. For other programs public types
//! have serde's traits too.

#[cfg(feature = "typescript")]
pub mod ts;

use std::fmt;
use std::sync::Arc;

pub use crate::Json;
pub use crate::reader::Reader;
use crate::reader::{Broken, unescape};
use crate::writer as write;
use crate::{JsonError, check, checked};

/// What can be written as JSON.
pub trait Write {
    fn write(&self, out: &mut String);
}

/// What can be read from JSON, in place: a value is made blank, then read into.
pub trait Read {
    fn blank() -> Self
    where
        Self: Sized;
    /// Reads the next value of a text that was checked into one that is blank.
    fn read(&mut self, from: &mut Reader<'_>) -> Done;
    /// Whether it is worth no word where blank is what a missing field means.
    fn is_blank(&self) -> bool
    where
        Self: Sized + PartialEq,
    {
        *self == Self::blank()
    }
}

pub type Done = Result<(), Box<Fault>>;

/// Why a text is not the value that was expected, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Keys from the outside in; empty for the whole.
    place: String,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    NotJson(JsonError),
    Missing(&'static str),
    Twice(&'static str),
    Wrong(&'static str),
}

impl From<JsonError> for Box<Fault> {
    fn from(error: JsonError) -> Self {
        fault(What::NotJson(error))
    }
}

impl From<Broken> for Box<Fault> {
    fn from(_: Broken) -> Self {
        wrong("a whole JSON text")
    }
}

fn fault(what: What) -> Box<Fault> {
    Box::new(Fault { place: String::new(), what })
}

/// The fault that something else stands where this is expected.
pub fn wrong(expected: &'static str) -> Box<Fault> {
    fault(What::Wrong(expected))
}

/// The fault, in the field with this key.
pub fn inside(mut fault: Box<Fault>, key: &str) -> Box<Fault> {
    if !fault.place.is_empty() {
        fault.place.insert(0, '.');
    }
    fault.place.insert_str(0, key);
    fault
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, name) = match &self.what {
            What::NotJson(error) => return error.fmt(f),
            What::Missing(name) => ("missing field `", *name),
            What::Twice(name) => ("duplicate field `", *name),
            What::Wrong(expected) => ("expected ", *expected),
        };
        f.write_str(before)?;
        f.write_str(name)?;
        if !matches!(self.what, What::Wrong(_)) {
            f.write_str("`")?;
        }
        if !self.place.is_empty() {
            f.write_str(" in `")?;
            f.write_str(&self.place)?;
            f.write_str("`")?;
        }
        Ok(())
    }
}

/// Reads a whole text that comes from outside.
pub fn from_text<T: Read>(text: &str) -> Result<T, Box<Fault>> {
    let mut value = T::blank();
    whole_text(text, &mut value)?;
    Ok(value)
}

fn whole_text(text: &str, value: &mut dyn Read) -> Done {
    check(text, usize::MAX)?;
    value.read(&mut Reader::new(text))
}

/// Reads a text that is known to be JSON.
pub fn from_checked<T: Read>(text: &str) -> Result<T, Box<Fault>> {
    let mut value = T::blank();
    value.read(&mut Reader::new(text))?;
    Ok(value)
}

pub fn to_text(value: &dyn Write) -> String {
    let mut out = String::new();
    value.write(&mut out);
    out
}

/// An object from names and values.
pub fn object(out: &mut String, fields: &[(&str, &dyn Write)]) {
    let mut object = write::Object::new(out);
    for (key, value) in fields {
        value.write(object.key(key));
    }
    object.end();
}

/// The fields of two objects in one: first the given ones, then those of `rest`, which writes as an object.
pub fn object_and(out: &mut String, fields: &[(&str, &dyn Write)], rest: &dyn Write) {
    if fields.is_empty() {
        return rest.write(out);
    }
    object(out, fields);
    out.pop();
    go_on(out, &|out| rest.write(out));
}

/// Behind the fields of an object that has not ended, those of another one.
fn go_on(out: &mut String, rest: &dyn Fn(&mut String)) {
    let at = out.len();
    rest(out);
    if out.len() == at + "{}".len() {
        out.truncate(at);
        out.push('}');
        return;
    }
    // The brace that opens the rest gives way to a comma. It is as long, so nothing moves.
    out.replace_range(at..=at, ",");
}

/// A value whose form is an object with known keys, or (a variant) a bare value or nothing.
pub trait ReadFields {
    fn form(&self) -> Form;
    /// Reads the value of the key with this index; a bare value has index 0.
    fn set(&mut self, index: usize, from: &mut Reader<'_>) -> Done;
    /// Where keys that are not known go; elsewhere they are passed over.
    fn unknown(&mut self) -> Option<&mut Vec<(String, Json)>> {
        None
    }
}

/// The same for writing.
pub trait WriteFields {
    fn form(&self) -> Form;
    /// Writes the value of the key with this index, unless it is left out.
    fn put(&self, index: usize, place: &mut Place<'_>);
    fn unknown(&self) -> &[(String, Json)] {
        &[]
    }
}

/// An enum, written as serde writes one: `"unit"`, `{"variant":value}` or `{"variant":{…}}`.
pub trait ReadVariant: ReadFields {
    /// Becomes the variant with this index, blank.
    fn begin(&mut self, index: usize);
}

#[derive(Clone, Copy, Debug)]
pub enum Form {
    Unit,
    Value,
    /// The keys in the order in which they are written, and the bits of those that must be there in what is read.
    Keys(&'static [&'static str], u64),
}

pub fn read_fields(fields: &mut dyn ReadFields, from: &mut Reader<'_>) -> Done {
    let Form::Keys(keys, required) = fields.form() else { return Ok(()) };
    begin(from, b'{', "an object")?;
    let mut seen = 0u64;
    while let Some(key) = from.key()? {
        let key = unescape(key);
        let Some((index, name)) = keys.iter().enumerate().find(|(_, name)| **name == key.as_ref()) else {
            match fields.unknown() {
                Some(unknown) => {
                    let mut value = Json::blank();
                    Read::read(&mut value, from).map_err(|fault| inside(fault, &key))?;
                    unknown.push((key.into_owned(), value));
                }
                None => from.skip()?,
            }
            continue;
        };
        let bit = 1u64 << index;
        // In an open record the last one counts.
        if seen & bit != 0 && fields.unknown().is_none() {
            return Err(fault(What::Twice(name)));
        }
        seen |= bit;
        fields.set(index, from).map_err(|fault| inside(fault, name))?;
    }
    match keys.get((required & !seen).trailing_zeros() as usize) {
        Some(name) => Err(fault(What::Missing(name))),
        None => Ok(()),
    }
}

/// Where a value is to be written. Its key is written with it, so that what is left out costs nothing.
#[derive(Debug)]
pub struct Place<'o> {
    out: &'o mut String,
    /// None for a value that stands alone.
    key: Option<&'static str>,
    /// What stands in front of the key.
    before: &'static str,
}

impl<'o> Place<'o> {
    fn alone(out: &'o mut String) -> Self {
        Place { out, key: None, before: "" }
    }

    #[inline(never)]
    fn begin(&mut self) -> &mut String {
        if let Some(key) = self.key {
            self.out.push_str(self.before);
            self.out.push_str(key);
            self.out.push_str("\":");
            self.before = ",\"";
        }
        self.out
    }
}

pub fn write_fields(fields: &dyn WriteFields, out: &mut String) {
    out.push('{');
    write_rest(fields, "\"", out);
}

/// The fields of an object that was begun, and its end.
fn write_rest(fields: &dyn WriteFields, before: &'static str, out: &mut String) {
    let mut place = Place { out, key: None, before };
    if let Form::Keys(keys, _) = fields.form() {
        for (index, key) in keys.iter().enumerate() {
            place.key = Some(key);
            fields.put(index, &mut place);
        }
    }
    for (key, value) in fields.unknown() {
        place.out.push_str(place.before);
        write::escaped(place.out, key);
        place.out.push_str("\":");
        place.out.push_str(value.as_str());
        place.before = ",\"";
    }
    out.push('}');
}

pub fn read_variant(value: &mut dyn ReadVariant, names: &[&str], from: &mut Reader<'_>) -> Done {
    let unit = from.peek()? == b'"';
    let name = if unit {
        from.string()?.unwrap_or_default()
    } else {
        begin(from, b'{', "a variant")?;
        unescape(from.key()?.ok_or_else(|| wrong("a variant"))?)
    };
    let index = names.iter().position(|known| *known == name.as_ref());
    let index = index.ok_or_else(|| inside(wrong("a known variant"), &name))?;
    value.begin(index);
    let form = value.form();
    if unit {
        return if matches!(form, Form::Unit) {
            Ok(())
        } else {
            Err(inside(wrong("more than a name"), &name))
        };
    }
    let inner = match form {
        Form::Unit => match from.raw()? {
            "null" => Ok(()),
            _ => Err(wrong("null")),
        },
        Form::Value => value.set(0, from),
        Form::Keys(..) => read_fields(value, from),
    };
    inner.map_err(|fault| inside(fault, &name))?;
    match from.key()? {
        None => Ok(()),
        Some(_) => Err(wrong("one variant")),
    }
}

pub fn write_variant(value: &dyn WriteFields, name: &str, out: &mut String) {
    let form = value.form();
    if let Form::Unit = form {
        write::string(out, name);
        return;
    }
    out.push_str("{\"");
    out.push_str(name);
    out.push_str("\":");
    match form {
        Form::Unit => {}
        Form::Value => value.put(0, &mut Place::alone(out)),
        Form::Keys(..) => write_fields(value, out),
    }
    out.push('}');
}

/// As an object with the variant's name under a key, and beside it the fields, or those of its value.
pub fn write_tagged(value: &dyn WriteFields, tag: &str, name: &str, out: &mut String) {
    for part in ["{\"", tag, "\":\"", name, "\""] {
        out.push_str(part);
    }
    match value.form() {
        Form::Value => go_on(out, &|out| value.put(0, &mut Place::alone(out))),
        Form::Unit | Form::Keys(..) => write_rest(value, ",\"", out),
    }
}

/// The same with the fields, or its value, under a key of their own.
pub fn write_beside(value: &dyn WriteFields, tag: &str, content: &str, name: &str, out: &mut String) {
    object(out, &[(tag, &name), (content, &OfVariant(value))]);
}

/// The fields of a variant, or its value.
struct OfVariant<'a>(&'a dyn WriteFields);

impl Write for OfVariant<'_> {
    fn write(&self, out: &mut String) {
        match self.0.form() {
            Form::Unit => out.push_str("{}"),
            Form::Value => self.0.put(0, &mut Place::alone(out)),
            Form::Keys(..) => write_fields(self.0, out),
        }
    }
}

/// Which of the words comes next.
pub fn read_word(words: &[&str], from: &mut Reader<'_>) -> Result<usize, Box<Fault>> {
    let word = text(from)?;
    words.iter().position(|known| **known == word).ok_or_else(|| inside(wrong("a known word"), &word))
}

/// Reads a value that may also be null, which leaves it blank. It may be there twice; the last one counts.
pub fn unless_null<T: Read>(value: &mut T, from: &mut Reader<'_>) -> Done {
    *value = T::blank();
    if from.peek()? == b'n' {
        return Ok(from.skip()?);
    }
    value.read(from)
}

/// Reads into a value where null is a value too.
pub fn present<T: Read>(value: &mut Option<T>, from: &mut Reader<'_>) -> Done {
    value.insert(T::blank()).read(from)
}

pub fn put<T: Write>(value: &T, place: &mut Place<'_>) {
    value.write(place.begin());
}

pub fn put_some<T: Write>(value: &Option<T>, place: &mut Place<'_>) {
    if let Some(value) = value {
        put(value, place);
    }
}

pub fn put_unless_blank<T: Read + Write + PartialEq>(value: &T, place: &mut Place<'_>) {
    if !value.is_blank() {
        put(value, place);
    }
}

fn begin(from: &mut Reader<'_>, open: u8, expected: &'static str) -> Done {
    if from.peek()? != open {
        return Err(wrong(expected));
    }
    from.step_in();
    Ok(())
}

fn text(from: &mut Reader<'_>) -> Result<String, Box<Fault>> {
    if from.peek()? != b'"' {
        return Err(wrong("a text"));
    }
    Ok(from.string()?.unwrap_or_default().into_owned())
}

fn whole(from: &mut Reader<'_>, most: u64) -> Result<u64, Box<Fault>> {
    let number = from.raw()?.parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| wrong("a whole number that is not negative"))
}

fn items(from: &mut Reader<'_>, add: &mut dyn FnMut(&mut Reader<'_>) -> Done) -> Done {
    begin(from, b'[', "a list")?;
    while from.item()? {
        add(from)?;
    }
    Ok(())
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {
        $(impl Read for $number {
            fn blank() -> Self {
                0
            }
            fn read(&mut self, from: &mut Reader<'_>) -> Done {
                // `whole` has looked at the limit.
                *self = whole(from, <$number>::MAX as u64)? as $number;
                Ok(())
            }
        }
        impl Write for $number {
            fn write(&self, out: &mut String) {
                write::whole(out, *self as u64);
            }
        })*
    };
}

whole_numbers! { u16 u32 u64 usize }

impl Read for bool {
    fn blank() -> Self {
        false
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        *self = match from.raw()? {
            "true" => true,
            "false" => false,
            _ => return Err(wrong("true or false")),
        };
        Ok(())
    }
}

impl Write for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

/// Numbers with fractions are amounts of money here: the same again up to fifteen digits, near it beyond.
impl Read for f64 {
    fn blank() -> Self {
        0.0
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        *self = from.number()?.ok_or_else(|| wrong("a number"))?;
        Ok(())
    }
}

impl Write for f64 {
    fn write(&self, out: &mut String) {
        write::number(out, *self);
    }
}

impl Read for String {
    fn blank() -> Self {
        String::new()
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        *self = text(from)?;
        Ok(())
    }
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

impl Write for String {
    fn write(&self, out: &mut String) {
        write::string(out, self);
    }
}

impl Write for str {
    fn write(&self, out: &mut String) {
        write::string(out, self);
    }
}

impl Read for Json {
    fn blank() -> Self {
        Json::null()
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        *self = checked(from.raw()?)?;
        Ok(())
    }
    fn is_blank(&self) -> bool {
        self.is_null()
    }
}

impl Write for Json {
    fn write(&self, out: &mut String) {
        out.push_str(self.as_str());
    }
}

impl<T: Read> Read for Option<T> {
    fn blank() -> Self {
        None
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        *self = None;
        if from.peek()? == b'n' {
            return Ok(from.skip()?);
        }
        present(self, from)
    }
    fn is_blank(&self) -> bool {
        self.is_none()
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Read> Read for Box<T> {
    fn blank() -> Self {
        Box::new(T::blank())
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        (**self).read(from)
    }
}

impl<T: Read> Read for Arc<T> {
    fn blank() -> Self {
        Arc::new(T::blank())
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        if Arc::get_mut(self).is_none() {
            *self = Arc::blank();
        }
        // What was made just now is nobody else's.
        Arc::get_mut(self).map_or(Ok(()), |value| value.read(from))
    }
}

impl<T: Write + ?Sized> Write for Arc<T> {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Write + ?Sized> Write for Box<T> {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Write + ?Sized> Write for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Read> Read for Vec<T> {
    fn blank() -> Self {
        Vec::new()
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        self.clear();
        items(from, &mut |from| self.push_mut(T::blank()).read(from))
    }
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, out: &mut String) {
        self.as_slice().write(out);
    }
}

impl<T: Write> Write for [T] {
    fn write(&self, out: &mut String) {
        write_items(out, self.len(), &|at, out| {
            if let Some(item) = self.get(at) {
                item.write(out);
            }
        });
    }
}

/// (Not an iterator: each kind of it brings all its methods into the wasm file.)
fn write_items(out: &mut String, count: usize, write: &dyn Fn(usize, &mut String)) {
    write::array(out, 0..count, |out, at| write(at, out));
}

impl<A: Read, B: Read> Read for (A, B) {
    fn blank() -> Self {
        (A::blank(), B::blank())
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        let (first, second) = self;
        let mut at = 0;
        items(from, &mut |from| {
            at += 1;
            match at {
                1 => first.read(from),
                2 => second.read(from),
                _ => Err(wrong("two items")),
            }
        })?;
        if at == 2 { Ok(()) } else { Err(wrong("two items")) }
    }
}

impl<A: Write, B: Write> Write for (A, B) {
    fn write(&self, out: &mut String) {
        write_items(out, 2, &|at, out| if at == 0 { self.0.write(out) } else { self.1.write(out) });
    }
}
