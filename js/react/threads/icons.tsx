// The pictures of the list of threads.
import type { ReactNode } from "react";

const paths = {
  add: "M12 5v14M5 12h14",
  edit: "M4.5 19.5 6 15 16.5 4.5l3 3L9 18zM14 7l3 3",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  restore: "M4 5h16v4H4zM5.5 9v10h13V9M12 17v-5.5m-2.5 2.5 2.5-2.5 2.5 2.5",
  delete: "M5 7h14M10 7V4.5h4V7M6.5 7l1 12.5h9l1-12.5M10 11v5M14 11v5",
  interrupted: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM10 9v6M14 9v6",
  waiting: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7m0 2.8v.2",
} as const;

export type ThreadIconName = keyof typeof paths;

export function ThreadIcon({ name }: { readonly name: ThreadIconName }): ReactNode {
  return (
    <svg
      data-glove-icon={name}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
