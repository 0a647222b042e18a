// Templates: lines between `@if part` (or `@if !part`), `@else` and `@end`, each in a comment of its own, and {{words}}.

const mark = /^\s*(?:\/\/|#|\/\*|\{\/\*|<!--)\s*@(if|else|end)(?:\s+(!?)(\w+))?.*$/;

export function fill(text, has, words) {
  const open = [];
  const lines = text.split("\n").filter((line) => {
    const [isMark, kind, not, part] = mark.exec(line) ?? [];
    if (kind === "if") open.push((has[part] === true) !== (not === "!"));
    else if (kind === "else") open.push(!open.pop());
    else if (kind === "end") open.pop();
    return !isMark && open.every((shown) => shown);
  });
  return lines.join("\n").replace(/\{\{(\w+)\}\}/g, (_, word) => words[word]);
}
