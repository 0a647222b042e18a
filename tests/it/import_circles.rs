//! No file of a crate imports itself by way of others.
//!
//! A file imports another one when it names, in a `use` or in a path, something that is defined there; a type counts like a function.
//! `mod x;` and `pub use` only say where a thing is: a path goes through them to the file that defines it. A method that another file
//! adds to a type (`impl Run` in `run/decisions`) is called without an import, so it is none.

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::sources_below;
use crate::crates::crates;

type Path = Vec<String>;

/// Chat, lines and screen of the program know of each other.
const KNOWN: &[&str] = &["crates/glove/src"];

/// One file as a module.
struct Module {
    file: String,
    /// Names that its `pub use` hands on, and the paths that they stand for.
    exports: BTreeMap<String, Path>,
    /// Names that its other `use` bring in.
    imports: BTreeMap<String, Path>,
    /// Every path in its code.
    paths: Vec<Path>,
}

#[derive(Default)]
struct Modules {
    of_files: BTreeMap<Path, Module>,
    /// Folders too, where a module stands inside of its parent's file.
    all: BTreeSet<Path>,
}

impl Modules {
    fn of(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut modules = Modules::default();
        for (file, code) in files {
            let name = file.strip_suffix(".rs").unwrap_or(&file);
            let mut path: Path = name.split('/').map(str::to_owned).collect();
            if ["mod", "lib"].iter().any(|table| path.last().is_some_and(|last| last == table)) {
                path.pop();
            }
            modules.all.extend((0..=path.len()).map(|length| path[..length].to_vec()));
            modules.of_files.insert(path, module(file, &code));
        }
        modules
    }

    /// A path from the root of the crate; `None` for what other crates or the file itself define.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        let inside = [module, std::slice::from_ref(first)].concat();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let parent = &module[..module.len().checked_sub(1)?];
                match rest.first().map(String::as_str) {
                    Some("super") => self.absolute(parent, rest),
                    _ => Some([parent, rest].concat()),
                }
            }
            _ if self.all.contains(&inside) => Some([module, path].concat()),
            _ => None,
        }
    }

    /// The module whose file defines what a path from the root names.
    fn home(&self, path: &[String], hops: usize) -> Option<&Path> {
        let depth = (0..=path.len()).rev().find(|depth| self.all.contains(&path[..*depth]))?;
        let (module, rest) = path.split_at(depth);
        // A module alone: what is used of it is named by another path.
        let (name, behind) = rest.split_first()?;
        let (module, of_file) = self.of_files.get_key_value(module)?;
        match of_file.exports.get(name).filter(|_| hops > 0) {
            Some(export) => self.home(&[self.absolute(module, export)?, behind.to_vec()].concat(), hops - 1),
            None => Some(module),
        }
    }

    /// The modules that a module imports.
    fn imported(&self, module: &Path) -> BTreeSet<&Path> {
        let of_file = &self.of_files[module];
        let paths = of_file.paths.iter().chain(of_file.imports.values());
        let homes = paths.filter_map(|path| {
            let named = of_file.imports.get(&path[0]).filter(|import| *import != path);
            let whole = match named {
                Some(import) => [import.as_slice(), &path[1..]].concat(),
                None => path.clone(),
            };
            self.home(&self.absolute(module, &whole)?, 8)
        });
        homes.filter(|home| *home != module && !home.is_empty()).collect()
    }

    /// Each way from a file back to itself that a walk over all files meets.
    fn circles(&self) -> Vec<String> {
        let (mut found, mut done) = (Vec::new(), BTreeSet::new());
        for module in self.of_files.keys().filter(|module| !module.is_empty()) {
            self.walk(module, &mut Vec::new(), &mut done, &mut found);
        }
        found
    }

    fn walk<'m>(
        &'m self,
        module: &'m Path,
        way: &mut Vec<&'m Path>,
        done: &mut BTreeSet<&'m Path>,
        found: &mut Vec<String>,
    ) {
        if let Some(start) = way.iter().position(|other| *other == module) {
            let circle = way[start..].iter().chain([&module]);
            let files: Vec<&str> = circle.map(|module| self.of_files[*module].file.as_str()).collect();
            found.push(files.join(" → "));
        } else if !done.contains(module) {
            way.push(module);
            for imported in self.imported(module) {
                self.walk(imported, way, done, found);
            }
            way.pop();
            done.insert(module);
        }
    }
}

fn module(file: String, code: &str) -> Module {
    let mut module = Module { file, exports: BTreeMap::new(), imports: BTreeMap::new(), paths: Vec::new() };
    let mut lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    while let Some(line) = lines.next() {
        let Some((names, mut tree)) = use_of(line, &mut module) else {
            paths_in(line, &mut module.paths);
            continue;
        };
        while !tree.ends_with(';') {
            tree.push_str(lines.next().expect("the rest of a `use`").trim());
        }
        for path in leaves(tree.trim_end_matches(';')) {
            let (path, alias) =
                path.split_once(" as ").map_or((path.as_str(), None), |(path, alias)| (path, Some(alias)));
            let path = path.trim_end_matches("::self");
            let name = alias.or(path.rsplit("::").next()).unwrap_or_default().to_owned();
            names.insert(name, path.split("::").map(str::to_owned).collect());
        }
    }
    module
}

/// Where the names of a line that begins a `use` belong, and what follows of it.
fn use_of<'m>(line: &str, module: &'m mut Module) -> Option<(&'m mut BTreeMap<String, Path>, String)> {
    let (before, tree) = line.trim().split_once("use ")?;
    let names = match before.trim() {
        "" => &mut module.imports,
        before if before == "pub" || before.starts_with("pub(") && before.ends_with(')') => {
            &mut module.exports
        }
        _ => return None,
    };
    Some((names, tree.to_owned()))
}

/// The paths of a tree of imports: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((before, list)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let list = list.trim_end().strip_suffix('}').expect("the end of a list");
    let (mut depth, mut branches) = (0, vec![String::new()]);
    for letter in list.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match letter {
            ',' if depth == 0 => branches.push(String::new()),
            letter => branches.last_mut().expect("a branch").push(letter),
        }
    }
    let named = branches.iter().map(|branch| branch.trim()).filter(|branch| !branch.is_empty());
    named.flat_map(leaves).map(|leaf| format!("{}{leaf}", before.trim())).collect()
}

/// Every `a::b` of a line of code.
fn paths_in(line: &str, paths: &mut Vec<Path>) {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    for chain in line.split(|letter| !is_letter(letter)).filter(|chain| chain.contains("::")) {
        let path: Path = chain.split("::").map(|name| name.trim_matches(':').to_owned()).collect();
        if path.first().is_some_and(|first| !first.is_empty()) {
            paths.push(path.into_iter().filter(|name| !name.is_empty()).collect());
        }
    }
}

#[test]
fn no_file_imports_itself_by_way_of_others() {
    let crates = crates().into_iter().map(|name| format!("crates/{name}/src"));
    for crate_of in
        ["src".to_owned()].into_iter().chain(crates).filter(|folder| !KNOWN.contains(&folder.as_str()))
    {
        let files = sources_below(&crate_of).into_iter().map(|source| (source.path, source.lines.join("\n")));
        let found = Modules::of(files).circles();
        assert!(
            found.is_empty(),
            "{crate_of}: move what both need into a file of its own:\n{}",
            found.join("\n")
        );
    }
}

#[test]
fn a_circle_is_found_through_tables_lists_aliases_and_paths() {
    let circle = |files: &[(&str, &str)]| {
        Modules::of(files.iter().map(|(file, code)| ((*file).to_owned(), (*code).to_owned()))).circles()
    };
    let table = ("a/mod.rs", "mod x;\nmod y;\npub use x::X;\npub(crate) use y::{\n    Y,\n};");
    let none: [String; 0] = [];
    assert_eq!(circle(&[table, ("a/x.rs", "use crate::a::Y;"), ("a/y.rs", "struct Y;")]), none);
    assert_eq!(circle(&[("b.rs", "mod c;\nuse c::C;"), ("b/c.rs", "struct C;")]), none);
    for (x, y) in [
        ("use crate::a::Y;", "use super::x::X;"),
        ("use crate::{a::{Y as Other}, b};", "fn f(x: &crate::a::X) {}"),
        ("use crate::a as other;\nstatic Y: other::Y = 1;", "use crate::a::{self};\nfn f() { a::X::new(); }"),
    ] {
        let found = circle(&[table, ("a/x.rs", x), ("a/y.rs", y)]);
        assert_eq!(found, ["a/x.rs → a/y.rs → a/x.rs"], "{x} {y}");
    }
    let parent = [("b.rs", "mod c;\nuse c::C;\nstruct B;"), ("b/c.rs", "use super::B;")];
    assert_eq!(circle(&parent), ["b.rs → b/c.rs → b.rs"]);
}
