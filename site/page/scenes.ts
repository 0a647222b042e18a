// The demo in the site: the address says which of its scenes is shown.
const place = document.querySelector<HTMLElement>(".scenes-place");
const links = [...document.querySelectorAll<HTMLAnchorElement>(".scenes-head .parts a")];
const frame = document.createElement("iframe");
frame.title = "The demo";

function show(): void {
  const id = links.some(({ hash }) => hash === location.hash) ? location.hash : "#assistant";
  for (const link of links) {
    if (link.hash === id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const inside = frame.contentWindow;
  // Its own menu leads on from there: the page around it follows no further.
  if (frame.isConnected && inside) inside.location.hash = id;
  else {
    frame.src = `demo/index.html${id}`;
    place?.append(frame);
  }
}
addEventListener("hashchange", show);
show();
