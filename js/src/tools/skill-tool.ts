// The tool by which a model takes up a skill.

export const skillTool = "glove_invoke_skill";

/** Also of a call whose session was opened again, where the tool comes with the next call of the model. */
export const skillTitle = ({ name }: { readonly name: string }): string => `Skill: ${name}`;
