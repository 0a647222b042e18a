// Content security policies in the app's files that keep the core from running.

const places = /^(index\.html|(src\/)?(next\.config|middleware|proxy)\.[cm]?[jt]s)$/;
/** A text in quotes of any kind. */
const quoted = /"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g;
const directive = /^\s*(default|script|worker|child)-src\b/;

export function policies({ files }) {
  const worker = files.some(({ text }) => /\bworker:\s*true\b/.test(text) && text.includes("GloveClient"));
  return files
    .filter(({ name }) => places.test(name))
    .flatMap(({ name, text }) => policiesIn(text).flatMap((policy) => judged(policy, name, worker)));
}

/** A policy is one text, or a list with a text for each directive. */
function policiesIn(text) {
  const texts = [...text.matchAll(quoted)].map(([, double, single, back]) =>
    (double ?? single ?? back).replace(/\\(["'])/g, "$1"),
  );
  const whole = texts.filter((each) => each.includes(";") && each.split(";").some((part) => directive.test(part)));
  const parts = texts.filter((each) => !each.includes(";") && directive.test(each));
  return parts.length ? [...whole, parts.join(";")] : whole;
}

function judged(text, file, worker) {
  const policy = new Map(
    text
      .split(/;(?![^{]*\})/)
      .map((part) => part.trim())
      .map((part) => [part.split(/\s/)[0].toLowerCase(), part]),
  );
  const scripts = policy.get("script-src") ?? policy.get("default-src");
  const workers = policy.get("worker-src") ?? policy.get("child-src") ?? scripts;
  const found = [];
  if (scripts !== undefined && !/'(wasm-)?unsafe-eval'/.test(fixed(scripts))) {
    found.push(finding("POLICY_WASM", scripts, file, "forbids WebAssembly", "Add 'wasm-unsafe-eval' to its script-src."));
  }
  if (worker && workers !== undefined && !/\sblob:/.test(fixed(workers))) {
    found.push(finding("POLICY_WORKER", workers, file, "forbids the worker of the core", "Add `worker-src blob:` to it."));
  }
  return found;
}

/** Without what is put in when the app runs. */
const fixed = (words) => words.replace(/\$\{[^}]*\}/g, "");

function finding(code, words, file, forbids, mend) {
  const open = words !== fixed(words);
  const message = `The policy in ${file} ${forbids}${open ? ", unless what is put into it when the app runs allows it" : ""}.`;
  return { level: open ? "note" : "wrong", code, message, mend, file };
}
