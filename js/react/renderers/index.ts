// The built-in renderers by name. A renderer of the application with the same name wins.
import type { Renderer } from "../render/mount-renderer.js";
import { ApprovalRequest, BudgetReached, Confirm, InterruptedCall, PermissionRequest } from "./decisions.js";
import { Input, Secret, Select } from "./fields.js";
import { Info } from "./info.js";
import type { SlotProps } from "./props.js";

export type { SlotProps } from "./props.js";

/** The renderers that need no component of yours, by name. */
export const builtInRenderers: Readonly<Record<string, Renderer<SlotProps>>> = {
  info: Info,
  confirm: Confirm,
  input: Input,
  select: Select,
  secret: Secret,
  permission_request: PermissionRequest,
  approval_request: ApprovalRequest,
  interrupted_call: InterruptedCall,
  budget_reached: BudgetReached,
};
