//! `#[tool]`: a function as a tool.
//!
//! The head of a function is read by hand: `syn` does it with its feature `full`, which makes it twice as large for everybody who compiles this crate.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, LitStr, Result, ReturnType, Token, Type, Visibility, parenthesized, parse2};

use crate::model::docs;

struct Function {
    /// Without its documentation.
    attributes: Vec<Attribute>,
    docs: String,
    visibility: Visibility,
    is_async: bool,
    name: Ident,
    arguments: Vec<Argument>,
    output: ReturnType,
    body: TokenStream,
}

struct Argument {
    attributes: Vec<Attribute>,
    is_mutable: Option<Token![mut]>,
    name: Ident,
    ty: Type,
    /// The context of the call, which is not read from JSON.
    is_context: bool,
}

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let named = name_of(options)?;
    let Function { attributes, docs, visibility, is_async, name, arguments, output, body } = parse2(item)?;
    if docs.is_empty() {
        let message = format!("a tool needs documentation: by it a model knows when to call `{name}`");
        return Err(Error::new(name.span(), message));
    }
    if let Some(second) = arguments.iter().filter(|argument| argument.is_context).nth(1) {
        return Err(Error::new(second.name.span(), "a call has one context"));
    }
    let tool = named.unwrap_or_else(|| name.to_string().trim_start_matches("r#").to_owned());
    let fields = arguments.iter().filter(|argument| !argument.is_context).map(|argument| {
        let Argument { attributes, name, ty, .. } = argument;
        quote!(#(#attributes)* #name: #ty)
    });
    let parameters =
        arguments.iter().map(|Argument { is_mutable, name, ty, .. }| quote!(#is_mutable #name: #ty));
    let passed = arguments.iter().map(|argument| match (&argument.name, argument.is_context) {
        (_, true) => quote!(_context),
        (name, false) => quote!(_input.#name),
    });
    let (asynchronous, waited) = if is_async { (quote!(async), quote!(.await)) } else { Default::default() };
    Ok(quote! {
        #[doc = #docs]
        #visibility fn #name() -> ::glove_wasm::ports::Tool {
            #[derive(::glove_wasm::__serde::Deserialize, ::glove_wasm::schemars::JsonSchema)]
            #[serde(crate = "::glove_wasm::__serde")]
            #[schemars(crate = "::glove_wasm::schemars")]
            struct __Arguments { #(#fields,)* }
            #(#attributes)* #asynchronous fn #name(#(#parameters),*) #output #body
            ::glove_wasm::ports::Tool::described(
                #tool,
                #docs,
                |_input: __Arguments, _context: ::glove_wasm::ports::ToolContext| async move {
                    #name(#(#passed),*) #waited
                },
            )
        }
    })
}

fn name_of(options: TokenStream) -> Result<Option<String>> {
    let mut name = None;
    let parser = syn::meta::parser(|meta| {
        if !meta.path.is_ident("name") {
            return Err(meta.error(
                "unknown; a tool may say `name = \"…\"`, and how its calls are treated is said by methods, as in `weather().requires_permission()`",
            ));
        }
        name = Some(meta.value()?.parse::<LitStr>()?.value());
        Ok(())
    });
    parser.parse2(options)?;
    Ok(name)
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let docs = docs(&attributes).trim().to_owned();
        let visibility = input.parse()?;
        let is_async = input.parse::<Option<Token![async]>>()?.is_some();
        if !input.peek(Token![fn]) {
            return Err(input.error("`#[tool]` goes on a function; make a type a tool with `Tool::of`"));
        }
        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        if input.peek(Token![<]) {
            return Err(input.error("a tool has no parameters of types: its arguments have one form in JSON"));
        }
        let arguments;
        parenthesized!(arguments in input);
        let arguments = Punctuated::<Argument, Token![,]>::parse_terminated(&arguments)?;
        let output = input.parse()?;
        if input.peek(Token![where]) {
            return Err(input.error("a tool has no parameters of types: its arguments have one form in JSON"));
        }
        Ok(Function {
            docs,
            attributes: attributes
                .into_iter()
                .filter(|attribute| !attribute.path().is_ident("doc"))
                .collect(),
            visibility,
            is_async,
            name,
            arguments: arguments.into_iter().collect(),
            output,
            body: input.parse()?,
        })
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let taken = |attribute: &Attribute| {
            ["doc", "serde", "schemars"].iter().any(|name| attribute.path().is_ident(name))
        };
        if let Some(other) = attributes.iter().find(|attribute| !taken(attribute)) {
            let message = "an argument takes documentation, `#[serde(…)]` and `#[schemars(…)]`";
            return Err(Error::new_spanned(other, message));
        }
        if input.peek(Token![self]) || input.peek(Token![&]) {
            return Err(input.error(
                "a method cannot be a tool: give what it uses to a closure, `Tool::of(move |input: Arguments, context| …)`",
            ));
        }
        let is_mutable = input.parse()?;
        let Ok(name) = input.parse::<Ident>() else {
            return Err(input.error("an argument needs a name, which the model is told"));
        };
        if !input.peek(Token![:]) {
            return Err(input.error("an argument needs a name, which the model is told"));
        }
        input.parse::<Token![:]>()?;
        let ty: Type = input.parse()?;
        if let Type::Reference(reference) = &ty {
            let message = "arguments are read from JSON and owned: `String` instead of `&str`, `Vec<T>` instead of `&[T]`";
            return Err(Error::new_spanned(reference, message));
        }
        let is_context = matches!(&ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "ToolContext"));
        Ok(Argument { attributes, is_mutable, name, ty, is_context })
    }
}
