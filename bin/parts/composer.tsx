// Where messages are written: files, text, and a button that sends or stops.
import {
  ComposerAttach,
  ComposerAttachments,
  ComposerInput,
  ComposerSend,
  ComposerStop,
  Composer as Form,
} from "glove-wasm/react";
import type { ComponentProps } from "react";

const round =
  "inline-flex size-9 shrink-0 items-center justify-center rounded-full focus-visible:outline-2 focus-visible:outline-offset-2 disabled:opacity-50";
const filled = `${round} bg-primary text-primary-foreground`;
const plain = `${round} text-muted-foreground hover:bg-muted hover:text-foreground`;

const Icon = ({ d }: { d: string }) => (
  <svg
    aria-hidden="true"
    viewBox="0 0 24 24"
    className="size-5 fill-none stroke-current stroke-2"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={d} />
  </svg>
);
const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;

export function Composer() {
  return (
    <Form className="mx-auto mb-4 flex w-[calc(100%-2rem)] max-w-3xl flex-col gap-2 rounded-3xl border border-input bg-card p-2 shadow-sm focus-within:border-ring">
      <ComposerAttachments className="flex flex-wrap gap-2 px-2 pt-1" />
      <div className="flex items-end gap-1">
        <ComposerAttach asChild>
          <Button className={plain} aria-label="Attach files">
            <Icon d="M12 5v14M5 12h14" />
          </Button>
        </ComposerAttach>
        <ComposerInput className="min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 text-base outline-none placeholder:text-muted-foreground" />
        <ComposerStop asChild>
          <Button className={plain} aria-label="Stop">
            <Icon d="M7 7h10v10H7z" />
          </Button>
        </ComposerStop>
        <ComposerSend asChild>
          <Button className={filled} type="submit" aria-label="Send">
            <Icon d="M12 19V5M5 12l7-7 7 7" />
          </Button>
        </ComposerSend>
      </div>
    </Form>
  );
}
