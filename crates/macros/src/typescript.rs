//! `#[derive(Ts)]`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Field, Form, InTypescript, Kind, Object, Type, Variant, When};

pub(crate) fn expand(of: &Type) -> TokenStream {
    let Type { name, lifetimes, kind, docs, ts, .. } = of;
    let named = ts.name.clone().unwrap_or_else(|| name.to_string());
    let (mutable, open) = (ts.mutable, ts.open);
    let (fields, inline, declaration) = match kind {
        Kind::Struct(object) => (
            {
                let fields = fields(object, ts);
                quote!(vec![#fields])
            },
            quote!(codec::ts::object(&<Self as codec::ts::Ts>::fields(), #mutable, #open)),
            quote!(codec::ts::interface(#docs, #named, &<Self as codec::ts::Ts>::fields(), #mutable, #open)),
        ),
        Kind::Words(variants) | Kind::Variants(variants) => {
            let cases = cases(variants, of.tag.as_ref().or(ts.tag.as_ref()), ts);
            (
                quote!(Vec::new()),
                quote!(codec::ts::union(&#cases)),
                quote!(codec::ts::alias(#docs, #named, &#cases)),
            )
        }
    };
    let used = if ts.inline { inline } else { quote!(#named.to_owned()) };
    quote! {
        #[cfg(feature = "typescript")]
        const _: () = {
            use crate::json::codec;
            impl #lifetimes codec::ts::Ts for #name #lifetimes {
                fn ts(_: bool) -> String {
                    #used
                }
                fn fields() -> Vec<codec::ts::Field> {
                    #fields
                }
                fn declaration() -> String {
                    #declaration
                }
            }
        };
    }
}

fn fields(object: &Object, ts: &InTypescript) -> TokenStream {
    let fields = object.fields.iter().map(|field| {
        let Field { key, docs, .. } = field;
        let optional = field.ts.optional.unwrap_or(match ts.input {
            true => !field.required,
            false => !matches!(field.write, When::Always),
        });
        let ty = field.of_option.as_ref().filter(|_| optional).unwrap_or(&field.ty);
        let ty = match &field.ts.ty {
            Some(said) => quote!(#said.to_owned()),
            None => ts_of(ty, ts),
        };
        quote!(codec::ts::Field { docs: #docs, key: #key, optional: #optional, ty: #ty })
    });
    quote!(#(#fields),*)
}

/// Each variant with what is said of it.
fn cases(variants: &[Variant], tag: Option<&String>, ts: &InTypescript) -> TokenStream {
    let mutable = ts.mutable;
    let others = ts.open.then(|| quote!(("", "(string & {})".to_owned())));
    let cases = variants.iter().map(|Variant { key, docs, form, .. }| {
        let case = match (form, tag) {
            (Form::Unit, None) => quote!(codec::ts::word(#key)),
            (Form::Value(ty), None) => {
                let ty = ts_of(ty, ts);
                quote!(codec::ts::variant(#key, #ty, #mutable))
            }
            (Form::Fields(object), None) => {
                let fields = fields(object, ts);
                quote!(codec::ts::variant(#key, codec::ts::object(&[#fields], #mutable, false), #mutable))
            }
            (Form::Unit, Some(tag)) => quote!(codec::ts::tagged(#tag, #key, Vec::new(), #mutable)),
            (Form::Value(ty), Some(tag)) => quote!(codec::ts::tagged_value::<#ty>(#tag, #key, #mutable)),
            (Form::Fields(object), Some(tag)) => {
                let fields = fields(object, ts);
                quote!(codec::ts::tagged(#tag, #key, vec![#fields], #mutable))
            }
        };
        quote!((#docs, #case))
    });
    let cases = cases.chain(others);
    quote!([#(#cases),*])
}

fn ts_of(ty: &TokenStream, ts: &InTypescript) -> TokenStream {
    let mutable = ts.mutable;
    quote!(<#ty as codec::ts::Ts>::ts(#mutable))
}
