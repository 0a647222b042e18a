// How a recorded run says what it is.

export const runFormat = "glove-run";
/** A newer one is refused. */
export const runVersion = 1;
