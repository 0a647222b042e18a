// All parts that an application may compose, loaded as one.

export { ComposerAttach, ComposerAttachments } from "../attachments/attach.js";
export { Attachment } from "../attachments/attachment.js";
export { Finder } from "../finding/late.js";
export { DefaultInput, DefaultMessage, DefaultReasoning, DefaultStreaming } from "../render/defaults.js";
export { Button, Choice, Field } from "../renderers/controls.js";
export { Actions as QuestionActions, Question } from "../renderers/question.js";
export { ContextMeter, ContinueButton } from "../working/index.js";
export { ToolCard } from "./calls/tool-card.js";
export { ComposerCommands } from "./composer/commands.js";
export { Composer, ComposerInput, ComposerSend, ComposerStop } from "./composer/composer.js";
export { CopyButton } from "./copy-button.js";
export { MessageText, MessageTime, RegenerateButton } from "./message.js";
export { ErrorNotice } from "./notices/error-notice.js";
export { Queue } from "./queue.js";
export { ThreadLog } from "./reading/thread-log.js";
export { Sources } from "./sources.js";
export { Thread } from "./thread.js";
export { BranchPicker } from "./versions/branch-picker.js";
export { EditableMessage, EditButton } from "./versions/edit.js";
export { EditorCancel, EditorInput, EditorSend, MessageEditor } from "./versions/editor.js";
export { Welcome } from "./welcome.js";
