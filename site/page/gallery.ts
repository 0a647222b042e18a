// The gallery: a part is chosen, its props are set, and the code that draws it runs in a frame and can be edited.
import { type Editor, editable } from "./editor.js";
import { Output } from "./output.js";
import { type Part, parts, type Values } from "./parts.js";

const box = document.querySelector<HTMLElement>("#gallery");
if (box) show(box);

function show(box: HTMLElement): void {
  const controls = box.querySelector(".controls") as HTMLElement;
  const about = box.querySelector(".part-about") as HTMLElement;
  const pre = box.querySelector("pre") as HTMLPreElement;
  const editor: Editor = editable(pre, "the part", "tsx");
  const output = new Output({ prints: false, chooses: false });
  box.querySelector(".gallery-stage")?.append(output.box);
  const links = [...box.querySelectorAll<HTMLAnchorElement>(".parts a")];
  let part: Part = parts[0];
  let values: Values = {};

  const run = () => output.run({ page: "gallery", files: { "App.tsx": editor.value }, entry: "App.tsx" });
  const write = () => {
    editor.value = part.code(values);
    run();
  };
  const choose = () => {
    part = parts.find(({ id }) => location.hash === `#${id}`) ?? parts[0];
    values = Object.fromEntries(part.props.map(({ name, initial }) => [name, initial]));
    about.textContent = part.about;
    for (const link of links) {
      if (link.hash === `#${part.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    controls.replaceChildren(
      ...part.props.map((prop) =>
        control(prop, (value) => {
          values = { ...values, [prop.name]: value };
          write();
        }),
      ),
    );
    write();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  editor.field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, 700);
  });
  addEventListener("hashchange", choose);
  choose();
}

function control(prop: Part["props"][number], set: (value: string) => void): HTMLElement {
  const label = document.createElement("label");
  label.append(prop.name);
  if (prop.choices) {
    const select = document.createElement("select");
    for (const choice of prop.choices) select.add(new Option(choice, choice));
    select.value = prop.initial;
    select.addEventListener("change", () => set(select.value));
    label.append(select);
    return label;
  }
  const input = document.createElement("input");
  input.type = prop.initial.startsWith("#") ? "color" : "text";
  input.value = prop.initial;
  input.addEventListener("change", () => set(input.value));
  label.append(input);
  return label;
}
