// The page between a chat and an app: it has no origin, holds the app in a frame of its own, and passes on what the two say to each other.

/** Reserved for the two pages: an app that sends such a message is not passed on. */
export const reserved = "ui/notifications/sandbox-";

export const resourceReady = `${reserved}resource-ready`;
export const proxyReady = `${reserved}proxy-ready`;

/** Where the page has an origin, it does nothing: what it is given would have that of the application. */
export const appPageText = `<!doctype html><meta charset="utf-8"><title>App</title><style>
html,body,iframe{margin:0;border:0;padding:0;width:100%;height:100%;display:block;background:transparent;overflow:hidden}
</style><script>
(() => {
  if (self.origin !== "null" || parent === self) return;
  let app;
  const draw = ({ html, policy, scheme }) => {
    const meta = document.createElement("meta");
    meta.httpEquiv = "Content-Security-Policy";
    meta.content = policy;
    document.head.append(meta);
    document.documentElement.style.colorScheme = scheme;
    app = document.createElement("iframe");
    app.sandbox = "allow-scripts allow-forms";
    app.referrerPolicy = "no-referrer";
    app.srcdoc = html;
    document.body.append(app);
  };
  addEventListener("message", ({ source, data }) => {
    const method = String(data?.method ?? "");
    if (source === parent) {
      if (method === "${resourceReady}") app || draw(data.params);
      else app?.contentWindow?.postMessage(data, "*");
    } else if (app && source === app.contentWindow && !method.startsWith("${reserved}")) parent.postMessage(data, "*");
  });
  addEventListener("DOMContentLoaded", () => parent.postMessage({ jsonrpc: "2.0", method: "${proxyReady}", params: {} }, "*"));
})();
</script><body></body>`;
