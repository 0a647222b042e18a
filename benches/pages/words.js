// What long conversations say, and an answer below them.

export const words = "The quick brown fox jumps over the lazy dog. ";

/** Every other message is a question; answers have a list, code, or some paragraphs. */
export function messageAt(at, entries) {
  const answers = [
    `${words.repeat(1 + (at % 7))}\n\n- ${words}\n- ${words}\n- **${words}**`,
    `${words.repeat(4)}\n\n\`\`\`\nconst a = ${at};\n\`\`\`\n\n${words}`,
    `${words}\n\n${words.repeat(3)}\n\n${words}`,
  ];
  if (at % 2 === 0) return { sender: "user", text: `Question ${at}? ${words.repeat(at % 3)}`, id: `m${at}` };
  return { sender: "agent", text: at === entries - 1 ? `${words} The last one.` : answers[(at >> 1) % 3], id: `m${at}` };
}

export const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Tells a piece of an answer with each frame, `window.pieces` of them; gives the whole. */
export async function tellByFrames(tell) {
  let text = "";
  for (let at = 1; at <= window.pieces; at++) {
    await nextFrame();
    const piece = at % 30 === 0 ? " words.\n\n" : " some words";
    text += piece;
    tell(piece);
  }
  return text;
}
