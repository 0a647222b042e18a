// What the operations desk's assistant can do, and what it has to ask before.
import { defineTool, type ToolConfig } from "glove-wasm/react";
import { pause } from "../network/script.js";
import { z } from "../schema.js";
import { addRefund, cancelRefund, getBoard, scale, serviceOf, setFingerprint, startService, stopService } from "./board.js";

/** Above these a person has to agree to each single call. */
export const refundLimit = 50;
export const replicaLimit = 4;

const service = z.enum(["checkout", "search", "payments", "mail"]);
const nameOf = (id: string) => serviceOf(id)?.name ?? id;

const listServices = defineTool({
  name: "list_services",
  description: "Lists the services and how they do.",
  title: "Check all services",
  inputSchema: z.object({}),
  idempotent: true,
  do: () => getBoard().services,
});

const readLogs = defineTool({
  name: "read_logs",
  description: "Reads the last lines of a service's log.",
  title: ({ service }) => `Read the ${nameOf(service)} logs`,
  inputSchema: z.object({ service }),
  parallel: true,
  idempotent: true,
  async do({ service }) {
    await pause(600 + 40 * service.length);
    return serviceOf(service)?.state === "degraded"
      ? ["WARN pool exhausted, 212 waiting", "WARN pool exhausted, 340 waiting", "ERROR timeout after 2,000 ms"]
      : ["INFO all quiet"];
  },
});

const restartService = defineTool({
  name: "restart_service",
  description: "Stops a service and starts it again. Some requests are lost.",
  title: ({ service }) => `Restart ${nameOf(service)}`,
  inputSchema: z.object({ service }),
  // Asked once; the answer is kept with the conversation. Not idempotent: if the page dies in the middle, a person is asked
  // whether to run it again.
  requiresPermission: true,
  async do({ service }) {
    stopService(service);
    await pause(2_500);
    startService(service);
    return serviceOf(service);
  },
});

const scaleService = defineTool({
  name: "scale_service",
  description: "Sets the number of a service's replicas.",
  title: ({ service, replicas }) => `Scale ${nameOf(service)} to ${replicas}`,
  inputSchema: z.object({ service, replicas: z.number().int().min(1).max(12) }),
  requireApproval: ({ replicas }) => ({
    required: replicas > replicaLimit,
    reason: `More than ${replicaLimit} replicas need your approval.`,
  }),
  do({ service, replicas }) {
    const before = serviceOf(service)?.replicas ?? 1;
    scale(service, replicas);
    return { ...serviceOf(service), before };
  },
  // What `do` gave says where to go back to.
  undo: ({ service }, { before }) => scale(service, before),
});

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  title: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  requireApproval: ({ euros }) => ({
    required: euros > refundLimit,
    reason: `Refunds above €${refundLimit} need your approval.`,
  }),
  do(refund) {
    addRefund(refund);
    return refund;
  },
  undo: cancelRefund,
});

/** `secret` is a renderer that comes with the package: what is typed goes to this tool, and nowhere else. */
const connectKey = defineTool({
  name: "connect_key",
  description: "Asks the person for the key of the paging service and connects it.",
  title: "Connect the paging key",
  inputSchema: z.object({}),
  displayStrategy: "hide-on-complete",
  onInterrupted: "rerun",
  async do(_, display) {
    const message = "The key of your paging service. It is never stored or shown to the assistant.";
    const key = await display.pushAndWait({ message }, "secret");
    setFingerprint(await fingerprintOf(key));
    return { connected: true };
  },
});

async function fingerprintOf(key: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(":");
}

export const tools: readonly ToolConfig[] = [listServices, readLogs, restartService, scaleService, refund, connectKey];
