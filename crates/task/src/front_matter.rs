//! What stands above the text of a `SKILL.md`, between two lines of `---`. It is YAML; what is needed of it are texts by their keys, so
//! other values (lists, groups of keys) are passed over and not read. `tests/fixtures/front-matter.json` holds this and the same in
//! JavaScript together.

const MOST_KEYS: usize = 200;

/// What each key of the outermost level says, where it is a text, and the text below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter {
    pub fields: Vec<(String, String)>,
    pub body: String,
}

impl FrontMatter {
    /// The error is a sentence about the first line that is wrong.
    pub fn read(text: &str) -> Result<FrontMatter, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        let lines: Vec<&str> = text.split('\n').collect();
        let is_mark = |line: &&str, mark: &str| line.trim_end() == mark;
        if !lines.first().is_some_and(|line| is_mark(line, "---")) {
            return Err("it must begin with a line `---`, its front matter, and a line `---`".to_owned());
        }
        let ends = |line: &&str| is_mark(line, "---") || is_mark(line, "...");
        let Some(end) = lines.iter().skip(1).position(ends) else {
            return Err("its front matter has no end: a line `---`".to_owned());
        };
        let (front, below) =
            (lines.get(1..=end).unwrap_or_default(), lines.get(end + 2..).unwrap_or_default());
        let mut fields = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        let mut at = 0;
        while let Some(line) = front.get(at) {
            if matches!(line.trim_start().chars().next(), None | Some('#')) {
                at += 1;
                continue;
            }
            let Some((key, first)) = key_of(line) else {
                return Err(format!("line {} of its front matter is not `key: value`", at + 2));
            };
            if keys.len() == MOST_KEYS {
                return Err(format!("its front matter has more than {MOST_KEYS} keys"));
            }
            if keys.contains(&key) {
                return Err(format!("its front matter has `{key}` twice"));
            }
            keys.push(key);
            let rest = front.get(at + 1..).unwrap_or_default();
            let rest = rest.get(..rest.iter().take_while(|line| goes_on(line)).count()).unwrap_or_default();
            if let Some(value) = text_in(first.trim(), rest)? {
                fields.push((key.to_owned(), value));
            }
            at += 1 + rest.len();
        }
        Ok(FrontMatter { fields, body: below.join("\n").trim().to_owned() })
    }

    #[must_use]
    pub fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, first) = line.split_once(':')?;
    let key = key.trim_end();
    let mut letters = key.chars();
    let begins = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
    let fits = letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
    let stands_alone = first.is_empty() || first.starts_with(char::is_whitespace);
    (begins && fits && stands_alone).then_some((key, first))
}

/// What is indented goes on with the value, and so do the points of a list.
fn goes_on(line: &str) -> bool {
    line.is_empty() || line.starts_with(char::is_whitespace) || is_point(line)
}

fn is_point(line: &str) -> bool {
    line.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// None for what is no text.
fn text_in(first: &str, rest: &[&str]) -> Result<Option<String>, String> {
    match first.chars().next() {
        Some(style @ ('|' | '>')) if is_block(first) => Ok(Some(block_of(rest, style == '>'))),
        Some('"' | '\'') => {
            let lines: Vec<&str> = [first].into_iter().chain(rest.iter().map(|line| line.trim())).collect();
            quoted(&folded(&lines)).map(Some)
        }
        Some('[' | '{' | '&' | '*' | '!' | '%' | '@' | '`') => Ok(None),
        _ => {
            let lines: Vec<&str> = [first]
                .into_iter()
                .chain(rest.iter().copied())
                .map(|line| without_comment(line.trim()))
                .collect();
            let is_group = lines.iter().skip(1).any(|line| is_point(line) || begins_a_group(line));
            Ok(if lines.first().is_some_and(|head| head.is_empty()) && is_group {
                None
            } else {
                Some(folded(&lines))
            })
        }
    }
}

fn is_block(first: &str) -> bool {
    let signs = first
        .get(1..)
        .unwrap_or_default()
        .trim_start_matches(['-', '+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    matches!(signs.trim_start().chars().next(), None | Some('#'))
}

fn begins_a_group(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, rest)| {
        let key = key.trim_end();
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "_\"'-".contains(letter);
        !key.is_empty() && key.chars().all(fits) && (rest.is_empty() || rest.starts_with(char::is_whitespace))
    })
}

fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        if letter == '#' && before.is_whitespace() {
            return line.get(..at).unwrap_or_default().trim_end();
        }
        before = letter;
    }
    line
}

fn block_of(lines: &[&str], folds: bool) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let depth = lines.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| indent(line));
    let own: Vec<&str> =
        lines.iter().map(|line| line.get(depth.min(indent(line))..).unwrap_or_default().trim_end()).collect();
    (if folds { folded(&own) } else { own.join("\n") }).trim().to_owned()
}

/// Lines that follow each other are one; an empty one between them is a line break.
fn folded(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut breaks = 0;
    for line in lines {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        if !text.is_empty() {
            text.push_str(&if breaks > 0 { "\n".repeat(breaks) } else { " ".to_owned() });
        }
        text.push_str(line);
        breaks = 0;
    }
    text
}

fn quoted(text: &str) -> Result<String, String> {
    let mut letters = text.chars().peekable();
    let quote = letters.next().unwrap_or('"');
    let mut value = String::new();
    while let Some(letter) = letters.next() {
        if letter == quote && quote == '\'' && letters.peek() == Some(&'\'') {
            letters.next();
            value.push('\'');
        } else if letter == quote {
            let behind: String = letters.collect();
            if matches!(behind.trim_start().chars().next(), None | Some('#')) {
                return Ok(value.trim().to_owned());
            }
            break;
        } else if letter == '\\' && quote == '"' {
            let next = letters.next().unwrap_or_default();
            let length = match next {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            let code: String = letters.clone().take(length).collect();
            let plain = match next {
                'b' => Some('\u{8}'),
                'f' => Some('\u{c}'),
                'n' => Some('\n'),
                't' => Some('\t'),
                'r' => Some('\r'),
                '0' => Some('\0'),
                ' ' | '"' | '/' | '\\' => Some(next),
                'x' | 'u' | 'U'
                    if code.len() == length && code.chars().all(|digit| digit.is_ascii_hexdigit()) =>
                {
                    let point = u32::from_str_radix(&code, 16).unwrap_or(u32::MAX);
                    letters.by_ref().take(length).for_each(drop);
                    // Half a pair stands for no letter.
                    let is_half = (0xd800..=0xdfff).contains(&point);
                    char::from_u32(point).or(is_half.then_some(char::REPLACEMENT_CHARACTER))
                }
                _ => None,
            };
            value.push(plain.ok_or_else(|| format!("its front matter has an unknown escape `\\{next}`"))?);
        } else {
            value.push(letter);
        }
    }
    Err("a text of its front matter begins with a quote and does not end with it".to_owned())
}
