//! Types as TypeScript says them, for the test that writes `js/src/wire`.

use std::fmt::Write as _;

use crate::Json;

/// A type that crosses to JavaScript.
pub trait Ts {
    /// It where it is used; lists in it are `readonly` unless `mutable`.
    fn ts(mutable: bool) -> String;
    fn fields() -> Vec<Field> {
        Vec::new()
    }
    fn declaration() -> String {
        String::new()
    }
}

#[derive(Debug)]
pub struct Field {
    pub docs: &'static str,
    pub key: &'static str,
    pub optional: bool,
    pub ty: String,
}

/// What a case of a union says of itself, and its type.
type Case = (&'static str, String);

pub fn interface(docs: &str, name: &str, fields: &[Field], mutable: bool, open: bool) -> String {
    let mut out = commented(docs, "");
    let _ = writeln!(out, "export interface {name} {{");
    lines(&mut out, fields, mutable, open, "  ");
    out.push_str("}\n");
    out
}

pub fn alias(docs: &str, name: &str, cases: &[Case]) -> String {
    let mut out = commented(docs, "");
    let _ = write!(out, "export type {name} =");
    if cases.iter().all(|(docs, case)| docs.is_empty() && case.starts_with('"')) {
        let _ = write!(out, " {}", union(cases));
    } else {
        for (docs, case) in cases {
            let _ = write!(out, "\n{}  | {}", commented(docs, "  "), case.replace('\n', "\n    "));
        }
    }
    out.push_str(";\n");
    out
}

pub fn union(cases: &[Case]) -> String {
    cases.iter().map(|(_, case)| case.as_str()).collect::<Vec<_>>().join(" | ")
}

pub fn word(key: &str) -> String {
    format!("\"{key}\"")
}

pub fn variant(key: &'static str, ty: String, mutable: bool) -> String {
    object(&[Field { docs: "", key, optional: false, ty }], mutable, false)
}

/// A variant with a value whose fields stand beside the tag; those of an enum are other ones in each case.
pub fn tagged_value<T: Ts>(tag: &'static str, key: &str, mutable: bool) -> String {
    match T::fields() {
        fields if fields.is_empty() => {
            format!("({} & {})", tagged(tag, key, Vec::new(), mutable), T::ts(mutable))
        }
        fields => tagged(tag, key, fields, mutable),
    }
}

pub fn tagged(tag: &'static str, key: &str, mut fields: Vec<Field>, mutable: bool) -> String {
    fields.insert(0, Field { docs: "", key: tag, optional: false, ty: word(key) });
    object(&fields, mutable, false)
}

/// On one line, unless something is said of a field.
pub fn object(fields: &[Field], mutable: bool, open: bool) -> String {
    if fields.iter().any(|field| !field.docs.is_empty()) {
        let mut out = "{\n".to_owned();
        lines(&mut out, fields, mutable, open, "  ");
        return out + "}";
    }
    let fields = fields.iter().map(|field| line(field, mutable)).collect::<Vec<_>>();
    format!("{{ {} }}", fields.join("; "))
}

fn lines(out: &mut String, fields: &[Field], mutable: bool, open: bool, indent: &str) {
    for field in fields {
        out.push_str(&commented(field.docs, indent));
        let _ = writeln!(out, "{indent}{};", line(field, mutable).replace('\n', "\n  "));
    }
    if open {
        let readonly = if mutable { "" } else { "readonly " };
        let _ = writeln!(out, "{indent}{readonly}[unknown: string]: unknown;");
    }
}

fn line(Field { key, optional, ty, .. }: &Field, mutable: bool) -> String {
    let readonly = if mutable { "" } else { "readonly " };
    let mark = if *optional { "?" } else { "" };
    format!("{readonly}{key}{mark}: {ty}")
}

fn commented(docs: &str, indent: &str) -> String {
    match docs.lines().count() {
        0 => String::new(),
        1 => format!("{indent}/** {docs} */\n"),
        _ => {
            let lines = docs.lines().map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n");
            format!("{indent}/**\n{}{indent} */\n", lines.collect::<String>())
        }
    }
}

macro_rules! plain {
    ($($ty:ty = $name:literal)*) => {
        $(impl Ts for $ty {
            fn ts(_: bool) -> String {
                $name.to_owned()
            }
        })*
    };
}

plain! {
    u16 = "number" u32 = "number" u64 = "number" usize = "number" f64 = "number"
    bool = "boolean" String = "string" str = "string" Json = "unknown"
}

impl<T: Ts> Ts for Vec<T> {
    fn ts(mutable: bool) -> String {
        let item = T::ts(mutable);
        let item = if (item.contains(" | ") || item.starts_with("readonly ")) && !item.starts_with('{') {
            format!("({item})")
        } else {
            item
        };
        format!("{}{item}[]", if mutable { "" } else { "readonly " })
    }
}

impl<T: Ts> Ts for [T] {
    fn ts(mutable: bool) -> String {
        Vec::<T>::ts(mutable)
    }
}

impl<A: Ts, B: Ts> Ts for (A, B) {
    fn ts(mutable: bool) -> String {
        format!("{}[{}, {}]", if mutable { "" } else { "readonly " }, A::ts(mutable), B::ts(mutable))
    }
}

impl<T: Ts + ?Sized> Ts for &T {
    fn ts(mutable: bool) -> String {
        T::ts(mutable)
    }
    fn fields() -> Vec<Field> {
        T::fields()
    }
}

impl<T: Ts> Ts for Option<T> {
    fn ts(mutable: bool) -> String {
        format!("{} | null", T::ts(mutable))
    }
}

impl<T: Ts> Ts for Box<T> {
    fn ts(mutable: bool) -> String {
        T::ts(mutable)
    }
    fn fields() -> Vec<Field> {
        T::fields()
    }
}
