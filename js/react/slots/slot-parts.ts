// What draws slots and the results of calls, loaded as one.
export { ApprovalRequest, BudgetReached, Confirm, InterruptedCall, PermissionRequest } from "../renderers/decisions.js";
export { Input, Secret, Select } from "../renderers/fields.js";
export { Info } from "../renderers/info.js";
export { ResultView } from "./result-view.js";
export { SlotView } from "./slot-view.js";
