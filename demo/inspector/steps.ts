// How long each step took in this tab: calls of the model, and calls of tools.
import { useGloveClient } from "glove-wasm/react";
import { useEffect, useState } from "react";

export interface Step {
  readonly kind: "model" | "tool";
  readonly name: string;
  readonly ms: number;
}

const kept = 40;

export function useSteps(sessionId: string): readonly Step[] {
  const client = useGloveClient();
  const [steps, setSteps] = useState<readonly Step[]>([]);
  useEffect(() => {
    setSteps([]);
    if (!client || !sessionId) return;
    let since = performance.now();
    const add = (kind: Step["kind"], name: string, ms: number) =>
      setSteps((before) => [...before.slice(1 - kept), { kind, name, ms: Math.round(ms) }]);
    const record = (type: string, data: { tool_name?: string; duration_ms?: number }) => {
      if (type === "model_response_complete" || type === "model_response") add("model", "model", performance.now() - since);
      if (type === "tool_use_result") add("tool", data.tool_name ?? "", data.duration_ms ?? 0);
      if (type === "tool_use_result" || type === "request_started") since = performance.now();
    };
    return client.session(sessionId).addSubscriber({ record });
  }, [client, sessionId]);
  return steps;
}
