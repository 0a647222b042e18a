// What a widget remembers for this tab: a reload and the next page of the site go on with it.
import { draftText, saveDraftText } from "../parts/draft-text.js";

export interface Kept {
  readonly open: boolean;
  /** A run went on: it goes on after a reload too, also behind a closed panel. */
  readonly runs: boolean;
  readonly unread: number;
}

const key = "widget";

export function kept(): Kept | undefined {
  try {
    const { open, runs, unread } = JSON.parse(draftText(key) ?? "") as Partial<Record<keyof Kept, unknown>>;
    return { open: open === true, runs: runs === true, unread: Number.isSafeInteger(unread) ? (unread as number) : 0 };
  } catch {
    return undefined;
  }
}

export const keep = (state: Kept): void => saveDraftText(key, JSON.stringify(state));
