// Draws a surface in the card of its call, and tells what its person does.

import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useGlove } from "../react/hooks/use-glove.js";
import type { SlotProps } from "../react/renderers/props.js";
import { checkWithSchema } from "../src/schema/check.js";
import type { GloveSnapshot } from "../src/snapshot/snapshot.js";
import { isPromise } from "../src/timing/sync-or-promise.js";
import { type Calls, hasCalls } from "./calls.js";
import { writtenAt } from "./data.js";
import { unsafe } from "./safe.js";
import { type SurfaceAction, type SurfaceCall, showTool, surfaceIn, updateTool } from "./shown.js";
import { type Placed, placed, type Rules } from "./surface.js";

export interface SurfaceRules {
  readonly rules: Rules;
  readonly load: () => Promise<Calls>;
}

interface CardProps extends SlotProps, SurfaceRules {
  readonly messageOf: (action: SurfaceAction) => string;
}

interface Slot {
  readonly surface: string;
  readonly call: string;
  readonly waits: boolean;
}

export function SurfaceCard({ data: slot, status, answer, resolve, messageOf, ...given }: CardProps): ReactNode {
  const { surface: name, call, waits } = slot as Slot;
  const timeline = useGlove(({ timeline }) => timeline);
  const busy = useGlove(({ busy }) => busy);
  const sendMessage = useGlove(({ sendMessage }) => sendMessage);
  const left = waits ? (Object(answer) as { readonly data?: unknown }).data : undefined;
  const shown = useMemo(() => surfaceIn(callsIn(timeline, call, left), { call }), [timeline, call, left]);
  // What the person enters stands above what was shown, until that changes.
  const [entered, setEntered] = useState<{ readonly over: unknown; readonly data: unknown }>();
  const told = JSON.stringify(shown?.data);
  const data = entered && entered.over === told ? entered.data : shown?.data;
  const rules = useRules(shown?.components, given);
  if (!shown || !rules) return null;
  const { root } = placed({ components: shown.components, data }, rules, true);
  const disabled = waits ? status !== "pending" : busy;
  const act = ({ action, errors }: Placed) => {
    if (!action || disabled || errors.length > 0) return;
    // What fails in it is the page's, as in a handler of its own.
    if ("does" in action) return void (async () => action.does())();
    const done: SurfaceAction = { surface: name, action: action.name, context: action.context ?? {}, data };
    if (waits) void resolve(done);
    else void Promise.resolve(sendMessage(messageOf(done))).catch(() => {});
  };
  const set = (path: string | undefined, value: unknown) => {
    if (path === undefined || disabled) return;
    setEntered((before) => ({
      over: told,
      data: writtenAt(before && before.over === told ? before.data : shown.data, path, value),
    }));
  };
  return root ? (
    <fieldset data-glove-surface={name} disabled={disabled} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <PartView of={root} rules={rules} disabled={disabled} act={act} set={set} />
    </fieldset>
  ) : null;
}

/** The rules with what the surface calls; nothing before that is there. */
export function useRules(components: unknown, { rules, load }: SurfaceRules): Rules | undefined {
  const needs = useMemo(() => hasCalls(components), [components]);
  const [calls, setCalls] = useState<Calls>();
  const [failed, setFailed] = useState<{ readonly error: unknown }>();
  useEffect(() => {
    if (!needs || calls) return;
    let isOver = false;
    load().then(
      (loaded) => !isOver && setCalls(loaded),
      (error: unknown) => !isOver && setFailed({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [needs, calls, load]);
  const withCalls = useMemo(() => calls && { ...rules, calls }, [calls, rules]);
  // Whoever draws the card says so, and lets a person go on without it.
  if (failed) throw failed.error;
  return needs ? withCalls : rules;
}

interface PartViewProps {
  readonly of: Placed;
  readonly rules: Rules;
  readonly disabled: boolean;
  act(of: Placed): void;
  set(path: string | undefined, value: unknown): void;
  /** It is being written: what does not fit its schema is left out. */
  readonly written?: boolean;
}

export function PartView(props: PartViewProps): ReactNode {
  const { of, rules, disabled, act, set, written } = props;
  const part = rules.catalog[of.part];
  // What a person enters may be anything, and is bound to other parts too.
  if (!part || unsafe(of.props, rules.origins)) return null;
  const checked = checkWithSchema(part.schema, of.props);
  const fits = !isPromise(checked) && "value" in checked;
  if (written && !fits) return null;
  const Component = part.component;
  return (
    <Component
      props={fits ? checked.value : of.props}
      act={of.action && (() => act(of))}
      set={(name: string, value: unknown) => set(of.paths[name], value)}
      disabled={disabled || (of.action !== undefined && of.errors.length > 0)}
      errors={of.errors}
    >
      {of.children.map((child) => (
        <PartView key={child.key} {...props} of={child} />
      ))}
    </Component>
  );
}

/** The calls of surfaces in a conversation, up to those that failed. */
function callsIn(timeline: GloveSnapshot["timeline"], call: string, left: unknown): SurfaceCall[] {
  return timeline.flatMap((entry): SurfaceCall[] => {
    if (entry.kind !== "tool") return [];
    const { id, name, input, status } = entry;
    if (name === showTool && (id === call || status === "success"))
      return [{ id, kind: "show", input, left: id === call ? left : undefined }];
    return name === updateTool && status === "success" ? [{ id, kind: "update", input }] : [];
  });
}
