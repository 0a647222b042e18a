// Slots for those who draw `approvals` themselves.
import type { GloveSnapshot, ShownSlot } from "./snapshot.js";

const asked = ["permission_request", "approval_request", "interrupted_call", "budget_reached"];

/** The slots without the run's own questions, which `approvals` has too, and without their answers. */
export const slotsWithoutApprovals = ({ slots, approvals }: Pick<GloveSnapshot, "slots" | "approvals">): ShownSlot[] =>
  slots.filter(({ id, renderer, status }) =>
    status === "pending" ? !approvals.some((approval) => approval.id === id) : !asked.includes(renderer),
  );
