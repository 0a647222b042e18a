// Keys that would reach the browser.
import { providers } from "./providers.mjs";

/** What bundlers write into pages: Vite, Next, Create React App, Astro and SvelteKit, Expo. */
const shown = /^(VITE_|NEXT_PUBLIC_|REACT_APP_|PUBLIC_|EXPO_PUBLIC_)/;
const maker =
  /(^|_)(OPENAI|ANTHROPIC|CLAUDE|GEMINI|OPENROUTER|MISTRAL|MOONSHOT|KIMI|MINIMAX|ZHIPU(AI)?|GLM|MIMO|GROQ|DEEPSEEK|XAI)_/;
const secret = /_(KEY|APIKEY|SECRET|TOKEN)$/;
/** As providers write them. */
const looksLikeKey = /\bsk-(?:ant-|proj-|or-)?[\w-]{16,}/;

export function keys({ files, environment }) {
  return [...named(files, environment), ...written(files)];
}

const isKeyName = (name) => {
  const rest = name.replace(shown, "");
  return rest !== name && (providers.some(({ envVar }) => envVar && rest === envVar) || (maker.test(rest) && secret.test(rest)));
};

function named(files, environment) {
  const found = new Map();
  for (const [name, { value, file }] of Object.entries(environment)) {
    if (isKeyName(name) || (shown.test(name) && looksLikeKey.test(value))) found.set(name, file);
  }
  for (const { name: file, text } of files) {
    for (const [name] of text.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)) if (isKeyName(name) && !found.has(name)) found.set(name, file);
  }
  return [...found].map(([name, file]) => ({
    level: "wrong",
    code: "KEY_IN_BROWSER",
    message: `${name} in ${file} is written into the page, where everybody can read it.`,
    mend: `Call it ${name.replace(shown, "")}, read it in a chat handler on your server, and replace the key if it was ever published.`,
    file,
  }));
}

function written(files) {
  return files
    .filter(({ text }) => new RegExp(`["'\`]${looksLikeKey.source}["'\`]`).test(text))
    .filter(({ name }) => !/\.(test|spec)\.[cm]?[jt]sx?$/.test(name))
    .map(({ name }) => ({
      level: "wrong",
      code: "KEY_IN_SOURCE",
      message: `${name} has a key in its text.`,
      mend: "Put it into an environment variable of the server, and replace the key if it was ever published.",
      file: name,
    }));
}
