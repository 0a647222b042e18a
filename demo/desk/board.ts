// The services on the board: the application's own state, which tools change and the panel shows.
import { stored } from "../stored.js";

export interface Service {
  readonly id: string;
  readonly name: string;
  readonly state: "healthy" | "degraded" | "restarting";
  readonly replicas: number;
  /** Milliseconds of a typical request. */
  readonly latency: number;
}

export interface Refund {
  readonly order: string;
  readonly euros: number;
}

interface Board {
  readonly services: readonly Service[];
  readonly refunds: readonly Refund[];
  /** What a key that was entered looks like; never the key. */
  readonly fingerprint: string | null;
  readonly log: readonly string[];
}

const first: Board = {
  services: [
    { id: "checkout", name: "Checkout", state: "degraded", replicas: 2, latency: 2_340 },
    { id: "search", name: "Search", state: "healthy", replicas: 3, latency: 85 },
    { id: "payments", name: "Payments", state: "healthy", replicas: 2, latency: 120 },
    { id: "mail", name: "Mail", state: "healthy", replicas: 1, latency: 240 },
  ],
  refunds: [],
  fingerprint: null,
  log: [],
};

const kept = stored<Board>("desk-board", first);

export const getBoard = kept.get;
export const useBoard = kept.use;
export const resetBoard = (): void => kept.set(first);

export const serviceOf = (id: string): Service | undefined => getBoard().services.find((service) => service.id === id);

function change(changes: Partial<Board>, line: string): void {
  const board = getBoard();
  kept.set({ ...board, ...changes, log: [line, ...board.log].slice(0, 8) });
}

function withService(id: string, changes: Partial<Service>): readonly Service[] {
  return getBoard().services.map((service) => (service.id === id ? { ...service, ...changes } : service));
}

export function stopService(id: string): void {
  change({ services: withService(id, { state: "restarting" }) }, `${serviceOf(id)?.name} is restarting`);
}

export function startService(id: string): void {
  change({ services: withService(id, { state: "healthy", latency: 95 }) }, `${serviceOf(id)?.name} is running again`);
}

export function scale(id: string, replicas: number): void {
  const before = serviceOf(id)?.replicas ?? 1;
  change({ services: withService(id, { replicas }) }, `${serviceOf(id)?.name}: ${before} → ${replicas} replicas`);
}

export function addRefund(refund: Refund): void {
  change({ refunds: [...getBoard().refunds, refund] }, `€${refund.euros} refunded for order ${refund.order}`);
}

export function cancelRefund({ order, euros }: Refund): void {
  const { refunds } = getBoard();
  const at = refunds.findLastIndex((refund) => refund.order === order && refund.euros === euros);
  change({ refunds: refunds.toSpliced(at, 1) }, `Refund for order ${order} cancelled`);
}

export function setFingerprint(fingerprint: string): void {
  change({ fingerprint }, `Paging key connected: ${fingerprint}`);
}
