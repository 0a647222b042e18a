// Of lowlight only what makes an empty one: loaded as a whole, it brings every language.
export { createLowlight } from "lowlight";
