// The window in which a person signs in. It is opened by their click, before anything is waited for, or browsers block it.

/** `null` where the browser has blocked it. */
export function openWindow(): Window | null {
  const opened = globalThis.window?.open("", "_blank", "popup,width=520,height=720") ?? null;
  // What it shows later may be anybody's, and has no hold on this page.
  if (opened) opened.opener = null;
  return opened;
}
