// Whether the long loops run whole, as `npm test -- long` asks; otherwise a part of each.
export const isLong = process.env.GLOVE_LONG === "1";
