// What those who draw slots and results need of the renderers that are in force.

import type { Renderer } from "../render/mount-renderer.js";
import type { SlotProps } from "../renderers/props.js";

export interface ResultProps {
  data: unknown;
  output?: string;
  status: "success" | "error" | "aborted";
}

export interface Drawing {
  readonly subscribe: (listener: () => void) => () => void;
  /** Told what a renderer threw, and whose it is. */
  readonly failed: (error: unknown, name: string) => void;
  slot(name: string): Renderer<SlotProps> | undefined;
  output(name: string): Renderer<SlotProps> | undefined;
  result(name: string): Renderer<ResultProps> | undefined;
  /** Its result has a frame of its own. */
  isBare(name: string): boolean;
}

export class NothingDraws extends Error {}
