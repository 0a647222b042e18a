// The start page, the gallery and the page of the demo.

import { page } from "./layout.mjs";
import { coloured, escaped } from "./markdown.mjs";

const about =
  "An agent runtime for React apps: a model works with your tools in the page, each step is stored before it runs, and a person decides.";

const code = `import { defineTool, GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { z } from "zod";
import { pay } from "./pay"; // yours

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  confirm: ({ order, euros }) => \`Refund €\${euros} for \${order}?\`,
  requireApproval: true,
  do: ({ order, euros }) => pay(order, euros),
});

const client = new GloveClient({
  endpoint: "/api/chat", // your key stays on your server
  tools: [refund],
  persistSession: true,
});

const Chat = () => <Render glove={useGlove()} />;

export default () => (
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>
);`;

const reasons = [
  {
    title: "Nothing gets lost",
    text: "Each step is in the browser's database before it runs. A crash, a reload or a closed laptop loses nothing: a cut answer is asked for again, and questions wait again.",
    proof: "Tests kill the tab at every single write.",
    link: ["docs/what-survives-a-reload.html", "What survives a reload"],
  },
  {
    title: "No tool runs twice unasked",
    text: "If the page died while a payment was on its way, nobody knows whether it arrived. So a person is asked, unless you said that repeating is safe.",
    proof: "Two tabs, one agent: the second one watches.",
    link: ["docs/guides/keep-it.html", "Reloads, steps and tabs"],
  },
  {
    title: "A person decides",
    text: "An approval shows every argument, and exactly that runs. Nothing that a model writes can press the button, and what was done can be undone.",
    proof: "If your rule throws, the call is refused.",
    link: ["docs/guides/approve-what-runs.html", "Approve what runs"],
  },
];

const demos = [
  ["assistant", "Assistant", "Streams, charts, sources, and a mail that asks before it is sent."],
  ["shop", "Shop", "Fills a cart, remembers it, and stops at the payment."],
  ["trip", "Trip", "Plans days on a map, with cards that are your components."],
  ["desk", "Desk", "Finds the fault on an operations board, and asks for the fix."],
  ["task", "Task", "Works on a goal over files, with a plan that you approve."],
];

export const scenes = demos;

export function homePage(version, sizes) {
  const steps = ["Ask for a refund", "Crash the tab while it waits", "Reload: it still waits", "Allow it: it is paid once"];
  const body = `<section class="hero">
<div class="hero-words">
<h1>An agent that outlives its tab</h1>
<p class="lead">glove-wasm is an agent runtime for React apps: a model works with your tools in the page, each step is stored before it runs, and a person decides.</p>
<div class="install"><code>npm install glove-wasm zod</code><button type="button" class="copy" hidden>Copy</button></div>
<p class="note">Version ${version} is not published yet: <a href="readme.html#install">install it from a clone</a>.</p>
<p class="ways"><a class="go" href="docs/guides/start-with-vite.html">Start with Vite</a><a class="quiet" href="docs/guides/start-with-next.html">with Next</a><a class="quiet" href="docs/index.html">All guides</a></p>
<ol class="steps" aria-label="What to try">${steps.map((text) => `<li>${text}</li>`).join("")}</ol>
</div>
<div class="window">
<div class="window-bar"><i></i><i></i><i></i><span>orders.example</span></div>
<div class="window-place"></div>
<div class="window-foot"><p class="window-words" role="status">Opening the conversation that is stored in this browser…</p><button type="button" class="window-action go" hidden>Ask for a refund</button></div>
</div>
</section>
<section class="reasons" aria-label="Why">
${reasons
  .map(
    ({ title, text, proof, link: [to, words] }) =>
      `<article><h2>${title}</h2><p>${escaped(text)}</p><p class="proof">${escaped(proof)}</p><a href="${to}">${words}</a></article>`,
  )
  .join("\n")}
</section>
<section class="whole">
<div><h2>This is the whole app</h2>
<p>One component draws the conversation. The loop is Rust in WebAssembly, and runs in the page; your server only keeps the key. The same core runs in Node, on the edge, and as a native program.</p>
<ul class="facts">
<li><strong>${escaped(sizes.first)}</strong> before the page draws, ${escaped(sizes.all)} in all <small>brotli, without the look (25 kB)</small></li>
<li><strong>10 providers</strong>, two of them local, and any compatible one</li>
<li><strong>MCP, AG-UI, skills</strong> and tasks that take an hour</li>
</ul>
<p><a href="gallery.html">Play with the parts</a> · <a href="docs/guides/choose-a-model.html">Choose a model</a></p></div>
<div class="code"><div class="code-bar"><span class="file">App.tsx</span><button type="button" class="copy" hidden>Copy</button></div><pre tabindex="0"><code>${coloured(code, "tsx")}</code></pre></div>
</section>
<section class="demos">
<h2>Five apps to break</h2>
<p>Crash them, take the network away, and look inside: the inspector shows each event, each request and each write. They run here, without a key.</p>
<ul>${demos.map(([id, name, text]) => `<li class="demo-${id}"><a href="scenes.html#${id}"><strong>${name}</strong><span>${escaped(text)}</span></a></li>`).join("")}</ul>
</section>
<section class="honest">
<h2>What you should know first</h2>
<ul>
<li>Nobody uses it in production yet, and no test has run against a real provider. They check each request against the providers' documentation.</li>
<li>The finished look is for React. In <a href="docs/other-frameworks.html">Vue, Svelte and Solid</a> you draw the conversation yourself. If you use Angular, take the AI SDK.</li>
<li><a href="readme.html#why-not-the-others">A table with dates</a> says where the others are better.</li>
</ul>
<p class="ways"><a class="go" href="docs/guides/start-with-vite.html">Build your first chat</a><a class="quiet" href="docs/index.html">All guides</a></p>
</section>`;
  return page({
    address: "index.html",
    title: "glove-wasm: an agent that outlives its tab",
    about,
    body,
    kind: "home",
    markdown: "README.md",
    version,
    scripts: ["assets/home.js"],
  });
}

export function galleryPage(version, parts) {
  const body = `<h1>Gallery</h1>
<p class="lead">Every part with its props to play with. What you see is the code below it: change that, too.</p>
<div id="gallery">
<nav class="parts" aria-label="Parts">${parts.map(({ id, name }, at) => `<a href="#${id}"${at ? "" : ' aria-current="true"'}>${escaped(name)}</a>`).join("")}</nav>
<div class="gallery-main">
<p class="part-about">${escaped(parts[0].about)}</p>
<form class="controls" aria-label="Props"></form>
<div class="gallery-stage"></div>
<div class="code"><div class="code-bar"><span class="file">App.tsx</span><button type="button" class="copy" hidden>Copy</button></div><pre tabindex="0"><code></code></pre></div>
</div>
</div>
<noscript><p>The gallery needs JavaScript.</p></noscript>`;
  const markdown = "gallery.md";
  const text = `# Gallery\n\nThe parts of the built-in look, and code that draws each. \`./preview\` stands for a client with a scripted model.\n${parts
    .map(
      (part) =>
        `\n## ${part.name}\n\n${part.about} [More](${part.guide.replace(".html", ".md")})\n\n\`\`\`tsx\n${part.code(Object.fromEntries(part.props.map(({ name, initial }) => [name, initial])))}\`\`\`\n`,
    )
    .join("")}`;
  const html = page({
    address: "gallery.html",
    title: "Gallery · glove-wasm",
    about: "The parts of the chat, with props to play with.",
    body,
    kind: "wide",
    markdown,
    version,
    scripts: ["assets/gallery.js"],
  });
  const sections = [
    { id: "", words: "Gallery", text: "Parts with props to play with" },
    ...parts.map(({ id, name, about }) => ({ id, words: name, text: about })),
  ];
  return {
    address: "gallery.html",
    html,
    markdown,
    text,
    title: "Gallery",
    about: "The parts of the chat, with code that draws each",
    sections,
  };
}

export function scenesPage(version) {
  const body = `<div class="scenes-head"><h1>Demo</h1><nav class="parts" aria-label="Scenes">${demos.map(([id, name]) => `<a href="#${id}">${name}</a>`).join("")}</nav><a class="alone" href="demo/index.html">In a window of its own</a></div>
<div class="scenes-place"></div>`;
  const markdown = "scenes.md";
  const text = `# Demo\n\nFive small apps that run in the page with a scripted model. The inspector in each shows events, requests and writes, and can crash the tab, cut an answer or take the network away.\n\n${demos.map(([, name, about]) => `- **${name}**: ${about}`).join("\n")}\n`;
  const html = page({
    address: "scenes.html",
    title: "Demo · glove-wasm",
    about: "Five apps to try, with an inspector that shows what happens inside.",
    body,
    kind: "full",
    markdown,
    version,
    scripts: ["assets/scenes.js"],
  });
  return {
    address: "scenes.html",
    html,
    markdown,
    text,
    title: "Demo",
    about: "Five small apps that run in the page",
    sections: demos.map(([id, words, about]) => ({ id, words, text: about })),
  };
}

export function lostPage(version) {
  const body = `<h1>There is no such page</h1><p class="lead">It may have another name now. The search knows all pages, and so does the <a href="/docs/index.html">list of guides</a>.</p>`;
  return page({
    address: "404.html",
    title: "No such page · glove-wasm",
    about: "There is no such page.",
    body,
    kind: "wide",
    version,
    absolute: true,
  });
}
