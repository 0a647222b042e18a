//! `#[derive(Read)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Error;

use crate::model::{Field, Form, How, Kind, Object, Type, Variant};

pub(crate) fn expand(of: &Type) -> TokenStream {
    if of.tag.is_some() {
        return Error::new(of.name.span(), "an enum with a `tag` can only be written").into_compile_error();
    }
    let body = match &of.kind {
        Kind::Struct(object) => object_body(of, object),
        Kind::Words(words) => words_body(of, words),
        Kind::Variants(variants) => variants_body(of, variants),
    };
    quote!(const _: () = { use crate::json::codec; #body };)
}

fn object_body(Type { name, default, .. }: &Type, object: &Object) -> TokenStream {
    let form = form(object);
    let sets = object.fields.iter().enumerate().map(|(index, field)| {
        let own = &field.name;
        let set = set(field, &quote!(&mut self.#own));
        quote!(if index == #index { return #set; })
    });
    let unknown = object.rest.as_ref().map(|rest| {
        quote! {
            fn unknown(&mut self) -> Option<&mut Vec<(String, codec::Json)>> {
                Some(&mut self.#rest.0)
            }
        }
    });
    let blank = match default {
        true => quote!(<Self as Default>::default()),
        false => {
            let fields = blank_fields(object);
            quote!(#name { #fields })
        }
    };
    quote! {
        impl codec::ReadFields for #name {
            fn form(&self) -> codec::Form {
                #form
            }
            fn set(&mut self, index: usize, from: &mut codec::Reader<'_>) -> codec::Done {
                #(#sets)*
                Ok(())
            }
            #unknown
        }
        impl codec::Read for #name {
            fn blank() -> Self {
                #blank
            }
            fn read(&mut self, from: &mut codec::Reader<'_>) -> codec::Done {
                codec::read_fields(self, from)
            }
        }
    }
}

fn words_body(Type { name, .. }: &Type, words: &[Variant]) -> TokenStream {
    let keys = words.iter().map(|word| &word.key);
    let all = words.iter().map(|word| &word.name);
    let first = words.iter().map(|word| &word.name).take(1);
    quote! {
        impl codec::Read for #name {
            fn blank() -> Self {
                #(#name::#first)*
            }
            fn read(&mut self, from: &mut codec::Reader<'_>) -> codec::Done {
                const ALL: &[#name] = &[#(#name::#all),*];
                let index = codec::read_word(&[#(#keys),*], from)?;
                if let Some(found) = ALL.get(index) {
                    *self = *found;
                }
                Ok(())
            }
        }
    }
}

fn variants_body(Type { name, .. }: &Type, variants: &[Variant]) -> TokenStream {
    let keys = variants.iter().map(|variant| &variant.key);
    let blanks: Vec<_> = variants.iter().map(|variant| blank(name, variant)).collect();
    let first = blanks.first();
    let indexes = 0..variants.len();
    let forms = forms(name, variants);
    let sets = variants.iter().filter_map(|variant| {
        let own = &variant.name;
        match &variant.form {
            Form::Unit => None,
            Form::Value(_) => Some(quote!(#name::#own(value) => return codec::Read::read(value, from),)),
            Form::Fields(object) => {
                let (pattern, places) = bound(object);
                let sets = object.fields.iter().zip(&places).enumerate().map(|(index, (field, place))| {
                    let set = set(field, &quote!(#place));
                    quote!(if index == #index { return #set; })
                });
                Some(quote!(#name::#own { #pattern } => { #(#sets)* }))
            }
        }
    });
    quote! {
        impl codec::ReadFields for #name {
            fn form(&self) -> codec::Form {
                #forms
            }
            fn set(&mut self, index: usize, from: &mut codec::Reader<'_>) -> codec::Done {
                match self {
                    #(#sets)*
                    _ => {}
                }
                Ok(())
            }
        }
        impl codec::ReadVariant for #name {
            fn begin(&mut self, index: usize) {
                *self = match index {
                    #(#indexes => #blanks,)*
                    _ => return,
                };
            }
        }
        impl codec::Read for #name {
            fn blank() -> Self {
                #first
            }
            fn read(&mut self, from: &mut codec::Reader<'_>) -> codec::Done {
                codec::read_variant(self, &[#(#keys),*], from)
            }
        }
    }
}

/// The form of each variant, which is what both derives begin with.
pub(crate) fn forms(name: &syn::Ident, variants: &[Variant]) -> TokenStream {
    let forms = variants.iter().map(|variant| {
        let own = &variant.name;
        let form = match &variant.form {
            Form::Unit => quote!(codec::Form::Unit),
            Form::Value(_) => quote!(codec::Form::Value),
            Form::Fields(object) => form(object),
        };
        quote!(#name::#own { .. } => #form,)
    });
    quote!(match self { #(#forms)* })
}

/// Its keys, and the bits of those that must be there.
pub(crate) fn form(object: &Object) -> TokenStream {
    let keys = object.fields.iter().map(|field| &field.key);
    let bits =
        object.fields.iter().enumerate().filter(|(_, field)| field.required).map(|(index, _)| 1u64 << index);
    let required: u64 = bits.sum();
    quote!(codec::Form::Keys(&[#(#keys),*], #required))
}

/// A pattern that binds each field, and what it is bound to: no name that the code around it has.
pub(crate) fn bound(object: &Object) -> (TokenStream, Vec<syn::Ident>) {
    let places: Vec<_> = (0..object.fields.len()).map(|index| format_ident!("field_{index}")).collect();
    let names = object.fields.iter().map(|field| &field.name);
    (quote!(#(#names: #places),*), places)
}

fn blank(name: &syn::Ident, variant: &Variant) -> TokenStream {
    let own = &variant.name;
    match &variant.form {
        Form::Unit => quote!(#name::#own),
        Form::Value(_) => quote!(#name::#own(codec::Read::blank())),
        Form::Fields(object) => {
            let fields = blank_fields(object);
            quote!(#name::#own { #fields })
        }
    }
}

fn blank_fields(object: &Object) -> TokenStream {
    let names = object.fields.iter().map(|field| &field.name).chain(&object.rest);
    quote!(#(#names: codec::Read::blank(),)*)
}

fn set(field: &Field, place: &TokenStream) -> TokenStream {
    match &field.read {
        How::Plain => quote!(codec::Read::read(#place, from)),
        How::NullAsDefault => quote!(codec::unless_null(#place, from)),
        How::KeepNull => quote!(codec::present(#place, from)),
        How::With(path) => quote!(#path(#place, from)),
    }
}
