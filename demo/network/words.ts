// How the scripts read what a person types.
const numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** The first number in a text, in digits or as a word. */
export function numberIn(text: string): number | undefined {
  const digits = /\d+(\.\d+)?/.exec(text)?.[0];
  if (digits) return Number(digits);
  const word = text
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.find((word) => numbers.indexOf(word) > 0);
  return word ? numbers.indexOf(word) : undefined;
}

export const says = (text: string, words: RegExp): boolean => words.test(text.toLowerCase());

/** Things whose names a text holds; where none is there whole, those whose last word it holds. */
export function named<T extends { readonly name: string }>(things: readonly T[], text: string): T[] {
  const words = text.toLowerCase();
  const whole = things.filter(({ name }) => words.includes(name.toLowerCase()));
  if (whole.length > 0) return whole;
  return things.filter(({ name }) => words.includes(name.toLowerCase().split(" ").at(-1) ?? name));
}

export const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
