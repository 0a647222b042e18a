// The pictures on buttons and cards: drawn with the colour of their text, and nothing to a screen reader.
import type { ReactNode } from "react";

export const circle = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z";
export const stopped = `${circle}m-2.5 6.5h5v5h-5z` as const;
export const undone = "M9 14.5 4.5 10 9 5.5M4.5 10H14a5.5 5.5 0 0 1 0 11h-3";

const paths = {
  send: "M12 19V5M5.5 11.5 12 5l6.5 6.5",
  stop: "M8 8h8v8H8z",
  down: "M12 5v14M5.5 12.5 12 19l6.5-6.5",
  copy: "M9 8h10v11H9zM5 14V4h10",
  done: "m5 12.5 4.5 4.5L19 7",
  retry: "M19.5 12a7.5 7.5 0 1 1-2.6-5.7M19.5 3.5v4h-4",
  edit: "M4.5 19.5 6 15 16.5 4.5l3 3L9 18zM14 7l3 3",
  remove: "M6 6l12 12M18 6 6 18",
  failed: `${circle}M12 8v4.5m0 3.3v.2`,
  chevron: "m8 10 4 4 4-4",
} as const;

export type IconName = keyof typeof paths;

export interface IconProps {
  /** One of those above, or the path of another. */
  readonly name: IconName | `M${string}`;
}

export function Icon({ name }: IconProps): ReactNode {
  return (
    <svg
      data-glove-icon={name}
      viewBox="0 0 24 24"
      width="18"
      height="18"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name as IconName] ?? name} />
    </svg>
  );
}

/** A picture, and its word: the built-in look shows the picture only. */
export function IconLabel({ icon, label }: { readonly icon: IconProps["name"]; readonly label: string }): ReactNode {
  return (
    <>
      <Icon name={icon} />
      <span data-glove-label="">{label}</span>
    </>
  );
}
