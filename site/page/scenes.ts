// The demo in the site: the address says which of its scenes is shown.
const place = document.querySelector<HTMLElement>(".scenes-place");
const links = [...document.querySelectorAll<HTMLAnchorElement>(".scenes-head .parts a")];
const frame = document.createElement("iframe");
frame.title = "The demo";

function mark(id: string): void {
  for (const link of links) {
    if (link.hash === id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

const wanted = () => (links.some(({ hash }) => hash === location.hash) ? location.hash : "#assistant");

frame.src = `demo/index.html${wanted()}`;
// Its own menu leads to another scene, too.
frame.addEventListener("load", () => {
  frame.contentWindow?.addEventListener("hashchange", () => {
    const id = frame.contentWindow?.location.hash || "#assistant";
    history.replaceState(null, "", id);
    mark(id);
  });
});
place?.append(frame);
mark(wanted());
addEventListener("hashchange", () => {
  mark(wanted());
  if (frame.contentWindow) frame.contentWindow.location.hash = wanted();
});
