// The error that reaches an application: a code that stays the same, and a message that says what to do.

export class GloveError extends Error {
  override readonly name = "GloveError";

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
