// Patterns that a model writes, and that run while a person types: those that could hold up the page are refused.

/** In letters. Nothing longer matches. */
const longestText = 200;
const longestPattern = 200;
const mostLoops = 4;
const mostOptional = 6;

const tried = new Map<string, RegExp>();

export function matches(text: string, pattern: string): boolean {
  return compiled(pattern).test(text.slice(0, longestText + 1)) && text.length <= longestText;
}

function compiled(pattern: string): RegExp {
  const known = tried.get(pattern);
  if (known) return known;
  const slow = whySlow(pattern);
  if (slow) throw new Error(`the pattern ${slow}`);
  let made: RegExp;
  try {
    made = new RegExp(pattern, "u");
  } catch {
    throw new Error(`"${pattern}" is no pattern`);
  }
  if (tried.size >= 100) tried.clear();
  tried.set(pattern, made);
  return made;
}

/** What a pattern could take too long with: loops in loops, and many after each other. */
function whySlow(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `has more than ${longestPattern} letters`;
  // Classes and escapes are one letter each to what follows them.
  const plain = pattern.replace(/\\(?:[pPu]\{[^}]*\}|.)/gs, "x").replace(/\[[^\]]*\]/g, "x");
  if (/\\[1-9k]/.test(pattern)) return "refers to a part of itself";
  if ((plain.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > mostLoops) return `repeats more than ${mostLoops} parts`;
  if ((plain.match(/[^(*+?}]\?/g) ?? []).length > mostOptional) return `has more than ${mostOptional} optional parts`;
  // From the inside out: a group that is repeated may neither repeat anything, nor choose.
  let left = plain;
  for (;;) {
    const group = /\((?:\?(?:<?[=!]|:|<\w+>))?([^()]*)\)(\*|\+|\{[\d,]+\}|)/.exec(left);
    if (!group) return undefined;
    const [whole, inside = "", repeated] = group;
    const loops = /[*+|?]|\{\d+,\d*\}/.test(inside);
    if (repeated && loops) return "repeats a group that repeats or chooses something itself";
    // What it holds counts for the groups around it.
    left = left.replace(whole, () => (loops ? "x*" : "x"));
  }
}
