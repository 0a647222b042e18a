// Brings a style sheet to the document of an element, once.

/** By the document that they belong to: a sheet works in no other. */
const sheets = new WeakMap<Document, Map<string, CSSStyleSheet>>();

/** What `first` is stands before all others, whenever it comes: they say more of the same elements. */
export function adopt(element: Element, css: string, first = false): void {
  const root = element.getRootNode() as Document | ShadowRoot;
  const document = root.ownerDocument ?? (root as Document);
  const view = document.defaultView;
  // What is not on a page, or in an engine without style, needs none.
  if (!view?.CSSStyleSheet?.prototype.replaceSync || !root.adoptedStyleSheets) return;
  const known = sheets.get(document) ?? new Map<string, CSSStyleSheet>();
  sheets.set(document, known);
  let sheet = known.get(css);
  if (!sheet) {
    sheet = new view.CSSStyleSheet();
    sheet.replaceSync(css);
    known.set(css, sheet);
  }
  const there = root.adoptedStyleSheets;
  if (!there.includes(sheet)) root.adoptedStyleSheets = first ? [sheet, ...there] : [...there, sheet];
}
