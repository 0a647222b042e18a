//! What a type and its attributes say.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, GenericArgument, Generics, Lit, LitStr, Meta,
    MetaNameValue, Path, PathArguments, Result, Type as RustType, Visibility,
};

pub(crate) struct Type {
    pub(crate) name: Ident,
    pub(crate) visibility: Visibility,
    /// What it borrows for.
    pub(crate) lifetimes: Generics,
    pub(crate) kind: Kind,
    /// What is missing is as in `Default::default()`.
    pub(crate) default: bool,
    /// The key under which an enum, which is then an object, has the name of its variant.
    pub(crate) tag: Option<String>,
    /// The key under which its fields or its value are, where not beside the tag.
    pub(crate) content: Option<String>,
    pub(crate) docs: String,
    pub(crate) ts: InTypescript,
}

/// What `#[ts(...)]` says on a type.
#[derive(Default)]
pub(crate) struct InTypescript {
    pub(crate) name: Option<String>,
    /// Each variant is an object that has its name under this key.
    pub(crate) tag: Option<String>,
    /// It is given to the core: what may be missing there is optional.
    pub(crate) input: bool,
    /// It stands where it is used, under no name.
    pub(crate) inline: bool,
    pub(crate) mutable: bool,
    /// It may hold other keys too.
    pub(crate) open: bool,
}

pub(crate) enum Kind {
    Struct(Object),
    /// An enum of units.
    Words(Vec<Variant>),
    Variants(Vec<Variant>),
}

pub(crate) struct Object {
    pub(crate) fields: Vec<Field>,
    /// Where keys that are not known go.
    pub(crate) rest: Option<Ident>,
}

pub(crate) struct Variant {
    pub(crate) name: Ident,
    pub(crate) key: String,
    pub(crate) docs: String,
    pub(crate) form: Form,
}

pub(crate) enum Form {
    Unit,
    Value(TokenStream),
    Fields(Object),
}

pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) key: String,
    pub(crate) required: bool,
    pub(crate) read: How,
    pub(crate) write: When,
    pub(crate) docs: String,
    pub(crate) ty: TokenStream,
    /// What an `Option` holds.
    pub(crate) of_option: Option<TokenStream>,
    pub(crate) ts: FieldInTypescript,
}

/// What `#[ts(...)]` says on a field.
#[derive(Default)]
pub(crate) struct FieldInTypescript {
    pub(crate) ty: Option<String>,
    pub(crate) optional: Option<bool>,
}

pub(crate) enum How {
    Plain,
    NullAsDefault,
    KeepNull,
    With(TokenStream),
}

pub(crate) enum When {
    Always,
    Some,
    UnlessDefault,
}

/// As many keys as there are bits for those that were seen.
const MAX_KEYS: usize = 64;

impl Type {
    pub(crate) fn of(item: &DeriveInput) -> Result<Self> {
        if item.generics.params.len() > item.generics.lifetimes().count() {
            return Err(Error::new(item.generics.span(), "a type with parameters has no one form in JSON"));
        }
        let (mut default, mut camel, mut tag, mut content) = (false, false, None, None);
        each("json", &item.attrs, |meta| {
            if meta.path.is_ident("default") {
                default = true;
            } else if meta.path.is_ident("tag") {
                tag = Some(text(&meta)?);
            } else if meta.path.is_ident("content") {
                content = Some(text(&meta)?);
            } else if meta.path.is_ident("rename_all") {
                let case: LitStr = meta.value()?.parse()?;
                if case.value() != "camelCase" {
                    return Err(Error::new(case.span(), "only \"camelCase\" is known"));
                }
                camel = true;
            } else {
                return Err(meta.error(
                    "unknown; a type may say `default`, `tag`, `content` and `rename_all = \"camelCase\"`",
                ));
            }
            Ok(())
        })?;
        let name = item.ident.clone();
        let kind = match &item.data {
            _ if content.is_some() && tag.is_none() => {
                return Err(Error::new(name.span(), "`content` needs a `tag`"));
            }
            Data::Struct(_) if tag.is_some() => {
                return Err(Error::new(name.span(), "only an enum takes a `tag`"));
            }
            Data::Struct(data) => Kind::Struct(object(&data.fields, default, camel)?),
            Data::Enum(data) => {
                if default || camel {
                    return Err(Error::new(
                        name.span(),
                        "`default` and `rename_all` are not allowed on an enum",
                    ));
                }
                let variants = data.variants.iter().map(variant).collect::<Result<Vec<_>>>()?;
                if variants.is_empty() {
                    return Err(Error::new(name.span(), "an enum without variants has no form in JSON"));
                }
                match tag.is_none() && variants.iter().all(|variant| matches!(variant.form, Form::Unit)) {
                    true => Kind::Words(variants),
                    false => Kind::Variants(variants),
                }
            }
            Data::Union(_) => return Err(Error::new(name.span(), "a union has no form in JSON")),
        };
        let lifetimes = item.generics.clone();
        Ok(Type {
            name,
            visibility: item.vis.clone(),
            lifetimes,
            kind,
            default,
            tag,
            content,
            docs: docs(&item.attrs),
            ts: in_typescript(&item.attrs)?,
        })
    }
}

fn in_typescript(attributes: &[Attribute]) -> Result<InTypescript> {
    let mut parsed = InTypescript::default();
    each("ts", attributes, |meta| {
        let word = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
        match word.as_str() {
            "name" => parsed.name = Some(text(&meta)?),
            "tag" => parsed.tag = Some(text(&meta)?),
            "input" => parsed.input = true,
            "inline" => parsed.inline = true,
            "mutable" => parsed.mutable = true,
            "open" => parsed.open = true,
            _ => {
                return Err(
                    meta.error("unknown; a type may say `name`, `tag`, `input`, `inline`, `mutable`, `open`")
                );
            }
        }
        Ok(())
    })?;
    Ok(parsed)
}

/// The lines of its documentation.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let Meta::NameValue(MetaNameValue {
                value: Expr::Lit(ExprLit { lit: Lit::Str(line), .. }), ..
            }) = &attribute.meta
            else {
                return None;
            };
            let line = line.value();
            Some(line.strip_prefix(' ').unwrap_or(&line).to_owned())
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn object(fields: &Fields, all_default: bool, camel: bool) -> Result<Object> {
    let Fields::Named(named) = fields else {
        return Err(Error::new(fields.span(), "fields need names, which are their keys"));
    };
    let mut object = Object { fields: Vec::new(), rest: None };
    for field in &named.named {
        let Some(name) = field.ident.clone() else { continue };
        let parsed = Attributes::of(&field.attrs)?;
        if parsed.flatten {
            if object.rest.replace(name.clone()).is_some() {
                return Err(Error::new(name.span(), "only one field can hold the keys that are not known"));
            }
            continue;
        }
        object.fields.push(parsed.field(name, &field.ty, all_default, camel)?);
    }
    let mut keys: Vec<&str> = Vec::new();
    for Field { name, key, .. } in &object.fields {
        if keys.contains(&key.as_str()) {
            return Err(Error::new(name.span(), format!("another field has the key `{key}` too")));
        }
        keys.push(key);
    }
    if keys.len() > MAX_KEYS {
        return Err(Error::new(fields.span(), format!("more than {MAX_KEYS} fields")));
    }
    Ok(object)
}

fn variant(variant: &syn::Variant) -> Result<Variant> {
    let mut renamed = None;
    each("json", &variant.attrs, |meta| {
        if !meta.path.is_ident("rename") {
            return Err(meta.error("unknown; a variant may say `rename = \"…\"`"));
        }
        renamed = Some(text(&meta)?);
        Ok(())
    })?;
    let name = variant.ident.clone();
    let form = match &variant.fields {
        Fields::Unit => Form::Unit,
        Fields::Unnamed(fields) => match (fields.unnamed.first(), fields.unnamed.len()) {
            (Some(field), 1) => Form::Value(field.ty.to_token_stream()),
            _ => return Err(Error::new(fields.span(), "a variant holds one value, or fields with names")),
        },
        named => Form::Fields(object(named, false, false)?),
    };
    let key = renamed.unwrap_or_else(|| snake_case(&name.unraw().to_string()));
    Ok(Variant { name, key, docs: docs(&variant.attrs), form })
}

/// The attributes of a field.
#[derive(Default)]
struct Attributes {
    rename: Option<String>,
    read_with: Option<Path>,
    words: Vec<Ident>,
    flatten: bool,
    docs: String,
    ts: FieldInTypescript,
}

const OF_FIELDS: [&str; 5] = ["default", "null_as_default", "skip_if_default", "write_null", "keep_null"];

impl Attributes {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut parsed = Attributes { docs: docs(attributes), ..Attributes::default() };
        each("ts", attributes, |meta| {
            if meta.path.is_ident("type") {
                let ty: LitStr = meta.value()?.parse()?;
                parsed.ts.ty = Some(ty.value());
            } else if meta.path.is_ident("optional") || meta.path.is_ident("required") {
                parsed.ts.optional = Some(meta.path.is_ident("optional"));
            } else {
                return Err(meta.error("unknown; a field may say `type`, `optional`, `required`"));
            }
            Ok(())
        })?;
        each("json", attributes, |meta| {
            if meta.path.is_ident("rename") {
                parsed.rename = Some(text(&meta)?);
            } else if meta.path.is_ident("read_with") {
                parsed.read_with = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("flatten") {
                parsed.flatten = true;
            } else if let Some(word) =
                meta.path.get_ident().filter(|word| OF_FIELDS.iter().any(|known| word == known))
            {
                parsed.words.push(word.clone());
            } else {
                return Err(meta.error(format!(
                    "unknown; a field may say `rename`, `read_with`, `flatten`, `{}`",
                    OF_FIELDS.join("`, `")
                )));
            }
            Ok(())
        })?;
        Ok(parsed)
    }

    fn says(&self, word: &str) -> bool {
        self.words.iter().any(|parsed| parsed == word)
    }

    fn field(self, name: Ident, ty: &RustType, all_default: bool, camel: bool) -> Result<Field> {
        let of_option = of_option(ty);
        let option = of_option.is_some();
        let (only, why) = match option {
            true => (
                ["write_null", "keep_null"].as_slice(),
                "an `Option` may be missing and is left out while `None` as it is; `write_null` and `keep_null` say otherwise",
            ),
            false => (
                ["default", "null_as_default", "skip_if_default"].as_slice(),
                "only an `Option` can say this",
            ),
        };
        if let Some(word) = self.words.iter().find(|word| !only.iter().any(|known| word == known)) {
            return Err(Error::new(word.span(), why));
        }
        let read = match (&self.read_with, self.says("null_as_default"), self.says("keep_null")) {
            (Some(path), false, false) => How::With(path.to_token_stream()),
            (Some(path), ..) => {
                return Err(Error::new(path.span(), "`read_with` says alone how null is read"));
            }
            (None, true, _) => How::NullAsDefault,
            (None, _, true) => How::KeepNull,
            (None, ..) => How::Plain,
        };
        let write = match (option && !self.says("write_null"), self.says("skip_if_default")) {
            (true, _) => When::Some,
            (_, true) => When::UnlessDefault,
            _ => When::Always,
        };
        let required = !option && !all_default && self.words.is_empty() && self.read_with.is_none();
        let own = name.unraw().to_string();
        let key = self.rename.unwrap_or_else(|| if camel { camel_case(&own) } else { own });
        let ty = ty.to_token_stream();
        Ok(Field { name, key, required, read, write, docs: self.docs, ty, of_option, ts: self.ts })
    }
}

fn each(
    of: &str,
    attributes: &[Attribute],
    mut take: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(of)) {
        attribute.parse_nested_meta(&mut take)?;
    }
    Ok(())
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    let text: LitStr = meta.value()?.parse()?;
    if text.value().chars().any(|letter| letter.is_control() || matches!(letter, '"' | '\\')) {
        return Err(Error::new(
            text.span(),
            "a key is written as it is: without quotes, backslashes and control characters",
        ));
    }
    Ok(text.value())
}

fn of_option(ty: &RustType) -> Option<TokenStream> {
    let RustType::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner.to_token_stream()),
        _ => None,
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}
