// A chat in the corner of a site, loaded as one.
export { LoadedChatWidget } from "./chat-widget.js";
