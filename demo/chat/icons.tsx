// The page's icons, drawn with one stroke.
const paths = {
  menu: "M4 6.5h16M4 12h16M4 17.5h16",
  chevron: "m6.5 9.5 5.5 5.5 5.5-5.5",
  choose: "m8 9.5 4-4 4 4M8 14.5l4 4 4-4",
  close: "m6.5 6.5 11 11m0-11-11 11",
  undo: "M9 14 4.5 9.5 9 5M4.5 9.5H14a5.5 5.5 0 0 1 0 11h-3",
  cart: "M3.5 4.5h2.2l2.1 10.7h9.9l1.8-7.7H6.4M9.5 19.8v.1m7-.1v.1",
  map: "m9 4.5-5.5 2.2v13L9 17.5l6 2.2 5.5-2.2v-13L15 6.7zm0 0v13m6-10.8v13",
  board: "M4 5.5h16v5H4zm0 8h16v5H4zM7.5 8v.1m0 7.9v.1",
  inspector: "M3.5 12h3.7l2.6-7 4.4 14 2.6-7h3.7",
  check: "m5 12.5 4.6 4.6L19 7.7",
  ring: "M12 4.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15z",
  spinner: "M12 4.5a7.5 7.5 0 1 1-7.5 7.5",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" data-icon={name} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
