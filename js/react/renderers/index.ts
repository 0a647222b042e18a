// The built-in renderers by name. A renderer of the application with the same name wins.
import { Loader } from "../look/loader.js";
import type { Renderer } from "../render/mount-renderer.js";
import { slotParts } from "../slots/slot-loader.js";
import type { SlotProps } from "./props.js";

export type { SlotProps } from "./props.js";

const questionParts = /* @__PURE__ */ new Loader(() => import("../questions/questions.js"));
const mcpParts = /* @__PURE__ */ new Loader(() => import("./mcp.js"));

/** The renderers that need no component of yours, by name. */
export const builtInRenderers: Readonly<Record<string, Renderer<SlotProps>>> = {
  info: /* @__PURE__ */ slotParts.component("Info"),
  confirm: /* @__PURE__ */ slotParts.component("Confirm"),
  input: /* @__PURE__ */ slotParts.component("Input"),
  select: /* @__PURE__ */ slotParts.component("Select"),
  questions: /* @__PURE__ */ questionParts.component("Questions"),
  secret: /* @__PURE__ */ slotParts.component("Secret"),
  permission_request: /* @__PURE__ */ slotParts.component("PermissionRequest"),
  approval_request: /* @__PURE__ */ slotParts.component("ApprovalRequest"),
  interrupted_call: /* @__PURE__ */ slotParts.component("InterruptedCall"),
  budget_reached: /* @__PURE__ */ slotParts.component("BudgetReached"),
  mcp_form: /* @__PURE__ */ mcpParts.component("McpForm"),
  mcp_link: /* @__PURE__ */ mcpParts.component("McpLink"),
  mcp_sampling: /* @__PURE__ */ mcpParts.component("McpSampling"),
  mcp_sign_in: /* @__PURE__ */ mcpParts.component("McpSignIn"),
};
