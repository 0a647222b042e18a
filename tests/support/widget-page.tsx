// A site with the chat in its corner.
import { ChatWidget, type ChatWidgetProps, GloveClient, type GloveClientConfig, GloveProvider } from "glove-wasm/react";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";

const style = new CSSStyleSheet();
style.replaceSync(`
  :root { color-scheme: light dark; font: 1rem/1.6 Georgia, serif; }
  body { margin: 0; background: light-dark(#f4f1ea, #22201d); color: light-dark(#2b2722, #ded8cf); }
  .site { max-width: 44rem; margin-inline: auto; padding: 2rem 1.25rem 6rem; }
  .site h1 { font-weight: 400; font-size: 2.25rem; line-height: 1.2; }
  .site a { color: inherit; }
`);
document.adoptedStyleSheets = [style];

const text = "Oak, ash and walnut, cut in our own workshop and sent in a box that one person can carry. ".repeat(3);

const Site = () => (
  <main className="site">
    <h1>Chairs for long dinners</h1>
    {[1, 2, 3, 4, 5].map((n) => (
      <p key={n}>
        {text}
        <a href="#more">More about it</a>
      </p>
    ))}
  </main>
);

const look = {
  open(script: readonly ScriptedAnswer[], props: Partial<ChatWidgetProps> = {}, config: Partial<GloveClientConfig> = {}) {
    const client = new GloveClient({
      createModel: () => createScriptedModel(script),
      systemPrompt: "",
      persistSession: true,
      ...config,
    });
    const root = document.createElement("div");
    document.body.replaceChildren(root);
    createRoot(root).render(
      <GloveProvider client={client}>
        <Site />
        <ChatWidget {...props} />
      </GloveProvider>,
    );
    Object.assign(globalThis, { client });
  },
};
Object.assign(globalThis, { look });
