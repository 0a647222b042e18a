//! `#[derive(Write)]`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Field, Form, Kind, Object, Type, Variant, When};
use crate::read::{bound, form, forms};

pub(crate) fn expand(of: &Type) -> TokenStream {
    let body = match &of.kind {
        Kind::Struct(object) => object_body(of, object),
        Kind::Words(words) => words_body(of, words),
        Kind::Variants(variants) => variants_body(of, variants),
    };
    quote!(const _: () = { use crate::json::codec; #body };)
}

fn object_body(Type { name, lifetimes, .. }: &Type, object: &Object) -> TokenStream {
    let form = form(object);
    let puts = object.fields.iter().enumerate().map(|(index, field)| {
        let own = &field.name;
        let put = put(field, &quote!(&self.#own));
        quote!(if index == #index { return #put; })
    });
    let unknown = object.rest.as_ref().map(|rest| {
        quote! {
            fn unknown(&self) -> &[(String, codec::Json)] {
                &self.#rest.0
            }
        }
    });
    quote! {
        impl #lifetimes codec::WriteFields for #name #lifetimes {
            fn form(&self) -> codec::Form {
                #form
            }
            fn put(&self, index: usize, place: &mut codec::Place<'_>) {
                #(#puts)*
            }
            #unknown
        }
        impl #lifetimes codec::Write for #name #lifetimes {
            fn write(&self, out: &mut String) {
                codec::write_fields(self, out);
            }
        }
    }
}

fn words_body(Type { name, visibility, .. }: &Type, words: &[Variant]) -> TokenStream {
    let keys = words.iter().map(|word| &word.key);
    quote! {
        impl #name {
            /// Its word in JSON.
            #[allow(dead_code)]
            #visibility fn word(self) -> &'static str {
                const WORDS: &[&str] = &[#(#keys),*];
                WORDS.get(self as usize).copied().unwrap_or_default()
            }
        }
        impl codec::Write for #name {
            fn write(&self, out: &mut String) {
                codec::Write::write(self.word(), out);
            }
        }
    }
}

fn variants_body(Type { name, lifetimes, tag, content, .. }: &Type, variants: &[Variant]) -> TokenStream {
    let keys = variants.iter().map(|variant| &variant.key);
    let names = variants.iter().map(|variant| &variant.name);
    let indexes = 0..variants.len();
    let forms = forms(name, variants);
    let puts = variants.iter().filter_map(|variant| {
        let own = &variant.name;
        match &variant.form {
            Form::Unit => None,
            Form::Value(_) => Some(quote!(#name::#own(value) => codec::put(value, place),)),
            Form::Fields(object) => {
                let (pattern, places) = bound(object);
                let puts = object.fields.iter().zip(&places).enumerate().map(|(index, (field, place))| {
                    let put = put(field, &quote!(#place));
                    quote!(if index == #index { return #put; })
                });
                Some(quote!(#name::#own { #pattern } => { #(#puts)* }))
            }
        }
    });
    let write = match (tag, content) {
        (Some(tag), Some(content)) => quote!(codec::write_beside(self, #tag, #content, name, out)),
        (Some(tag), None) => quote!(codec::write_tagged(self, #tag, name, out)),
        (None, _) => quote!(codec::write_variant(self, name, out)),
    };
    quote! {
        impl #lifetimes codec::WriteFields for #name #lifetimes {
            fn form(&self) -> codec::Form {
                #forms
            }
            fn put(&self, index: usize, place: &mut codec::Place<'_>) {
                match self {
                    #(#puts)*
                    _ => {}
                }
            }
        }
        impl #lifetimes codec::Write for #name #lifetimes {
            fn write(&self, out: &mut String) {
                const NAMES: &[&str] = &[#(#keys),*];
                let index: usize = match self {
                    #(#name::#names { .. } => #indexes,)*
                };
                let name = NAMES.get(index).copied().unwrap_or_default();
                #write;
            }
        }
    }
}

fn put(field: &Field, value: &TokenStream) -> TokenStream {
    match field.write {
        When::Always => quote!(codec::put(#value, place)),
        When::Some => quote!(codec::put_some(#value, place)),
        When::UnlessDefault => quote!(codec::put_unless_blank(#value, place)),
    }
}
