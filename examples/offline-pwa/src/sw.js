// The service worker: keeps every file of this version when it is installed, and answers from there, with or without a network. A newer
// version is installed beside it, and takes over when no page of the old one is open.
const mine = "field-notes-";
const name = `${mine}VERSION`;
const files = ["FILES"];

addEventListener("install", (event) => {
  // All of them, or the version is not installed.
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files.map((file) => new Request(file, { cache: "reload" })))));
});

addEventListener("activate", (event) => {
  const clean = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((other) => other.startsWith(mine) && other !== name).map((other) => caches.delete(other)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  // Calls of the model go to the network.
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => {
    const cache = await caches.open(name);
    const kept = await cache.match(request.mode === "navigate" ? "./" : request, { ignoreSearch: true });
    return kept ?? fetch(request);
  };
  event.respondWith(answer());
});
