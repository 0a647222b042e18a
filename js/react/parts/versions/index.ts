// What a conversation with several versions needs, loaded when there is a second one or the first message is edited.
export { BranchPicker } from "./branch-picker.js";
export { MessageEditor } from "./editor.js";
