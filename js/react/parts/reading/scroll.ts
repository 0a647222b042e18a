// What moves and prints the list of a chat: by itself, and by the application.

/** `turn`: what was sent rises, and stays there while its answer grows below it. `end`: the end is kept in sight. `none`: nothing moves. */
export type Scroll = "turn" | "end" | "none";

/** What moves and prints the list of a chat. */
export interface ChatView {
  /** Brings a message into sight, by the id of its entry or of one of `messages`, and gives it the focus, unless somebody types in a field. False when it is not in the conversation. */
  scrollToMessage(id: string): Promise<boolean>;
  scrollToEnd(): void;
  /** Opens the dialog of the browser that prints the page, when all messages are drawn. */
  print(): Promise<void>;
}
