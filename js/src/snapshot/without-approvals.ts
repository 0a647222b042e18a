// Slots for those who draw `approvals` themselves.
import { check } from "../values/validate-options.js";
import type { GloveSnapshot, ShownSlot } from "./snapshot.js";

const asked = ["permission_request", "approval_request", "interrupted_call", "budget_reached"];

/** The slots without the run's own questions, which `approvals` has too, and without their answers. */
export function slotsWithoutApprovals(snapshot: Pick<GloveSnapshot, "slots" | "approvals">): ShownSlot[] {
  const { slots, approvals } = check("The snapshot", snapshot, "object");
  check("`approvals`", approvals, "list");
  return check("`slots`", slots, "list").filter(({ id, renderer, status }) =>
    status === "pending" ? !approvals.some((approval) => approval.id === id) : !asked.includes(renderer),
  );
}
