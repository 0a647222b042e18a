"use client";
// The way from a handle to its session: whoever draws one part of it follows only that part.
import { useSyncExternalStore } from "react";
import type { GloveSnapshot } from "../src/snapshot.js";
import type { GloveHandle } from "./types.js";

/** What is needed of a session to follow it. */
export interface Followed {
  subscribe(listener: () => void): () => void;
  getSnapshot(): GloveSnapshot;
  getServerSnapshot(): GloveSnapshot;
}

const sessions = new WeakMap<GloveHandle, Followed>();

/** Remembers whose handle this is. A copy of the handle, which may have been changed, is nobody's. */
export function remember(handle: GloveHandle, session: Followed): void {
  sessions.set(handle, session);
}

export const sessionOf = (handle: GloveHandle): Followed | undefined => sessions.get(handle);

/** What may be followed: the parts that a handle and a snapshot share. */
export type Parts = Pick<GloveSnapshot, "timeline" | "streamingText" | "busy" | "slots"> &
  Partial<Pick<GloveSnapshot, "error" | "queue">>;

/** One part of what a handle shows, kept up to date without its owner. What `select` gives must be the same until it changes. */
export function useOf<T>(handle: GloveHandle, select: (parts: Parts) => T): T {
  const session = sessionOf(handle);
  return useSyncExternalStore(
    session?.subscribe ?? never,
    () => select(session?.getSnapshot() ?? handle),
    () => select(session?.getServerSnapshot() ?? handle),
  );
}

const never = () => () => {};
