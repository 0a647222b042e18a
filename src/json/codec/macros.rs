//! The macros by which a type says its JSON form.

/// A struct whose JSON is an object. Each field says how it is read and written: `required` must be there, `plain` may
/// be missing, `default` may be missing or null, `skipped` may be missing and is not written while blank, `optional` is
/// an `Option` that is written when it is `Some` (null counts as missing, except for `present`, where null is a value),
/// `flag` is written when true, `returned` is the result of a tool in any form that was ever stored. With `open` the struct keeps fields it does not know in `extra`. With `with` a value
/// that is not given in the text has the struct's own default, else the blank one of its type. With `read` it is never written.
macro_rules! record {
    (open $(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $key:literal => $kind:ident $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* pub $field: $crate::json::codec::record!(@type $kind $ty),)*
            pub extra: $crate::message::Extra,
        }
        $crate::json::codec::record!(@read [$name { $($field: $crate::json::codec::Read::blank(),)* extra: $crate::message::Extra::default() }]
            $name { $($key $kind $field,)* }
            fn unknown(&mut self) -> Option<&mut Vec<(String, $crate::json::Json)>> {
                Some(&mut self.extra.0)
            }
        );
        $crate::json::codec::record!(@write $name { $($key $kind $field,)* }
            fn unknown(&self) -> &[(String, $crate::json::Json)] {
                &self.extra.0
            }
        );
    };
    (with $default:expr; $(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $key:literal => $kind:ident $fvis:vis $field:ident: $ty:ty,)* }) => {
        $crate::json::codec::record!(@struct $(#[$meta])* $vis $name { $($(#[$doc])* $kind $fvis $field: $ty,)* });
        $crate::json::codec::record!(@read [$default] $name { $($key $kind $field,)* });
        $crate::json::codec::record!(@write $name { $($key $kind $field,)* });
    };
    (read $(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $key:literal => $kind:ident $fvis:vis $field:ident: $ty:ty,)* }) => {
        $crate::json::codec::record!(@struct $(#[$meta])* $vis $name { $($(#[$doc])* $kind $fvis $field: $ty,)* });
        $crate::json::codec::record!(@read [$name { $($field: $crate::json::codec::Read::blank(),)* }] $name { $($key $kind $field,)* });
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $key:literal => $kind:ident $fvis:vis $field:ident: $ty:ty,)* }) => {
        $crate::json::codec::record!(@struct $(#[$meta])* $vis $name { $($(#[$doc])* $kind $fvis $field: $ty,)* });
        $crate::json::codec::record!(@read [$name { $($field: $crate::json::codec::Read::blank(),)* }] $name { $($key $kind $field,)* });
        $crate::json::codec::record!(@write $name { $($key $kind $field,)* });
    };
    (@struct $(#[$meta:meta])* $vis:vis $name:ident { $($(#[$doc:meta])* $kind:ident $fvis:vis $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* $fvis $field: $crate::json::codec::record!(@type $kind $ty),)*
        }
    };
    (@read [$blank:expr] $name:ident { $($key:literal $kind:ident $field:ident,)* } $($unknown:item)*) => {
        const _: () = {
            #[allow(non_camel_case_types)]
            enum At { $($field,)* }

            impl $crate::json::codec::ReadFields for $name {
                fn form(&self) -> $crate::json::codec::Form {
                    const REQUIRED: u64 = 0 $(| ($crate::json::codec::record!(@required $kind) << At::$field as u32))*;
                    $crate::json::codec::Form::Keys(&[$($key),*], REQUIRED)
                }
                fn set(&mut self, index: usize, from: &mut $crate::json::reader::Reader<'_>) -> $crate::json::codec::Done {
                    $(if index == At::$field as usize {
                        return $crate::json::codec::record!(@set $kind &mut self.$field, from);
                    })*
                    Ok(())
                }
                $($unknown)*
            }

            impl $crate::json::codec::Read for $name {
                fn blank() -> Self {
                    $blank
                }
                fn read(&mut self, from: &mut $crate::json::reader::Reader<'_>) -> $crate::json::codec::Done {
                    $crate::json::codec::read_fields(self, from)
                }
            }
        };
    };
    (@write $name:ident { $($key:literal $kind:ident $field:ident,)* } $($unknown:item)*) => {
        const _: () = {
            #[allow(non_camel_case_types)]
            enum At { $($field,)* }

            impl $crate::json::codec::WriteFields for $name {
                fn form(&self) -> $crate::json::codec::Form {
                    $crate::json::codec::Form::Keys(&[$($key),*], 0)
                }
                fn put(&self, index: usize, out: &mut String) -> bool {
                    $(if index == At::$field as usize {
                        return $crate::json::codec::record!(@put $kind &self.$field, out);
                    })*
                    false
                }
                $($unknown)*
            }

            impl $crate::json::codec::Write for $name {
                fn write(&self, out: &mut String) {
                    $crate::json::codec::write_fields(self, out);
                }
            }
        };
    };
    (@type optional $ty:ty) => { Option<$ty> };
    (@type present $ty:ty) => { Option<$ty> };
    (@type $kind:ident $ty:ty) => { $ty };
    (@required required) => { 1u64 };
    (@required $kind:ident) => { 0u64 };
    (@set default $place:expr, $from:ident) => { $crate::json::codec::unless_null($place, $from) };
    (@set returned $place:expr, $from:ident) => { $crate::message::read_returned($place, $from) };
    (@set flag $place:expr, $from:ident) => { $crate::json::codec::unless_null($place, $from) };
    (@set present $place:expr, $from:ident) => { $crate::json::codec::present($place, $from) };
    (@set $kind:ident $place:expr, $from:ident) => { $crate::json::codec::Read::read($place, $from) };
    (@put optional $place:expr, $out:ident) => { $crate::json::codec::put_some($place, $out) };
    (@put present $place:expr, $out:ident) => { $crate::json::codec::put_some($place, $out) };
    (@put skipped $place:expr, $out:ident) => { $crate::json::codec::put_unless_blank($place, $out) };
    (@put flag $place:expr, $out:ident) => { $crate::json::codec::put_unless_blank($place, $out) };
    (@put $kind:ident $place:expr, $out:ident) => { $crate::json::codec::put($place, $out) };
}

/// An enum, each variant with its name in the text: a unit, one value, or fields as in `record!`.
macro_rules! variants {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $key:literal => $variant:ident
            $(($inner:ty))?
            $({ $($(#[$fdoc:meta])* $fkey:literal => $kind:ident $field:ident: $ty:ty,)* })?,)*
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant $(($inner))? $({ $($(#[$fdoc])* $field: $crate::json::codec::record!(@type $kind $ty),)* })?,)*
        }

        const _: () = {
            enum At { $($variant,)* }

            #[allow(unused_variables)]
            fn form(value: &$name) -> $crate::json::codec::Form {
                    match value {
                        $($name::$variant $(($crate::json::codec::variants!(@bind value $inner)))? $({ $($field,)* })? => {
                            $crate::json::codec::variants!(@form $(($inner))? $({ $($fkey $kind $field,)* })?)
                        })*
                    }
            }

            impl $crate::json::codec::ReadFields for $name {
                fn form(&self) -> $crate::json::codec::Form {
                    form(self)
                }
                #[allow(unused_variables)]
                fn set(&mut self, index: usize, from: &mut $crate::json::reader::Reader<'_>) -> $crate::json::codec::Done {
                    match self {
                        $($name::$variant $(($crate::json::codec::variants!(@bind value $inner)))? $({ $($field,)* })? => {
                            $(return <$inner as $crate::json::codec::Read>::read(value, from);)?
                            $({
                                #[allow(non_camel_case_types)]
                                enum At { $($field,)* }
                                $(if index == At::$field as usize {
                                    return $crate::json::codec::record!(@set $kind $field, from);
                                })*
                            })?
                        })*
                    }
                    #[allow(unreachable_code)]
                    Ok(())
                }
            }

            impl $crate::json::codec::WriteFields for $name {
                fn form(&self) -> $crate::json::codec::Form {
                    form(self)
                }
                #[allow(unused_variables)]
                fn put(&self, index: usize, out: &mut String) -> bool {
                    match self {
                        $($name::$variant $(($crate::json::codec::variants!(@bind value $inner)))? $({ $($field,)* })? => {
                            $(return $crate::json::codec::put::<$inner>(value, out);)?
                            $({
                                #[allow(non_camel_case_types)]
                                enum At { $($field,)* }
                                $(if index == At::$field as usize {
                                    return $crate::json::codec::record!(@put $kind $field, out);
                                })*
                            })?
                        })*
                    }
                    #[allow(unreachable_code)]
                    false
                }
            }

            const NAMES: &[&str] = &[$($key),*];

            impl $crate::json::codec::ReadVariant for $name {
                #[allow(non_upper_case_globals)]
                fn begin(&mut self, index: usize) {
                    $(const $variant: usize = At::$variant as usize;)*
                    *self = match index {
                        $($variant => $name::$variant
                            $((<$inner as $crate::json::codec::Read>::blank()))?
                            $({ $($field: $crate::json::codec::Read::blank(),)* })?,)*
                        _ => return,
                    };
                }
            }

            impl $crate::json::codec::Write for $name {
                fn write(&self, out: &mut String) {
                    let index = match self {
                        $($name::$variant { .. } => At::$variant as usize,)*
                    };
                    $crate::json::codec::write_variant(self, NAMES.get(index).copied().unwrap_or_default(), out);
                }
            }

            impl $crate::json::codec::Read for $name {
                fn blank() -> Self {
                    $crate::json::codec::variants!(@first $name $($variant $(($inner))? $({ $($field,)* })?,)*)
                }
                fn read(&mut self, from: &mut $crate::json::reader::Reader<'_>) -> $crate::json::codec::Done {
                    $crate::json::codec::read_variant(self, NAMES, from)
                }
            }
        };
    };
    (@bind $value:ident $inner:ty) => { $value };
    (@form) => { $crate::json::codec::Form::Unit };
    (@form ($inner:ty)) => { $crate::json::codec::Form::Value };
    (@form { $($key:literal $kind:ident $field:ident,)* }) => {{
        #[allow(non_camel_case_types)]
        enum At { $($field,)* }
        const REQUIRED: u64 = 0 $(| ($crate::json::codec::record!(@required $kind) << At::$field as u32))*;
        $crate::json::codec::Form::Keys(&[$($key),*], REQUIRED)
    }};
    (@first $name:ident $variant:ident $(($inner:ty))? $({ $($field:ident,)* })?, $($rest:tt)*) => {
        $name::$variant
            $((<$inner as $crate::json::codec::Read>::blank()))?
            $({ $($field: $crate::json::codec::Read::blank(),)* })?
    };
}

/// An enum whose variants are words.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $word:literal => $variant:ident,)* }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            const WORDS: &'static [&'static str] = &[$($word),*];

            /// Its word in JSON.
            #[allow(dead_code)]
            pub(crate) fn word(self) -> &'static str {
                Self::WORDS.get(self as usize).copied().unwrap_or_default()
            }
        }

        impl $crate::json::codec::Read for $name {
            fn blank() -> Self {
                $crate::json::codec::words!(@first $name $($variant)*)
            }
            fn read(&mut self, from: &mut $crate::json::reader::Reader<'_>) -> $crate::json::codec::Done {
                const ALL: &[$name] = &[$($name::$variant),*];
                let index = $crate::json::codec::read_word(Self::WORDS, from)?;
                if let Some(found) = ALL.get(index) {
                    *self = *found;
                }
                Ok(())
            }
        }

        impl $crate::json::codec::Write for $name {
            fn write(&self, out: &mut String) {
                $crate::json::writer::string(out, self.word());
            }
        }
    };
    (@first $name:ident $variant:ident $($rest:ident)*) => { $name::$variant };
}

/// serde's traits for types that other programs read and write too. They go through the text, so they are for JSON.
macro_rules! through_codec {
    ($($name:ty),* $(,)?) => {
        $(impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::json::serialize_text(&$crate::json::codec::to_text(self), serializer)
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::json::deserialize_text(deserializer)?;
                $crate::json::codec::from_checked(text.get()).map_err(serde::de::Error::custom)
            }
        })*
    };
    (write $($name:ty),* $(,)?) => {
        $(impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::json::serialize_text(&$crate::json::codec::to_text(self), serializer)
            }
        })*
    };
}

pub(crate) use {record, through_codec, variants, words};
