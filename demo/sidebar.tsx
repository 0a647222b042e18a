// The way to the scenes and to the conversations of one: beside the chat, or where there is no room, a drawer and a menu.
import { ThreadList, type ThreadListProps } from "glove-wasm/react";
import { useId, useRef } from "react";
import { Icon } from "./chat/icons.js";
import { ModelSwitch } from "./model/switch.js";
import { places } from "./scenes.js";

/** The scene that is shown: one with conversations, or the task. */
interface Shown {
  readonly id: string;
  readonly name: string;
}

interface SidebarProps {
  readonly scene: Shown;
  /** It stands beside the chat. */
  readonly docked: boolean;
  readonly threads?: boolean;
  /** The choice of the model that answers. */
  readonly model?: boolean;
  readonly list?: ThreadListProps;
}

export function Sidebar({ scene, docked, threads = true, model = threads, list }: SidebarProps) {
  const element = useRef<HTMLElement>(null);
  const heading = useId();
  const close = () => {
    if (!docked) element.current?.hidePopover();
  };
  return (
    <aside ref={element} id="sidebar" className="sidebar" aria-labelledby={heading} popover={docked ? undefined : "auto"}>
      <p className="brand" id={heading}>
        <Mark /> glove-wasm
      </p>
      <nav className="scenes" aria-label="Scenes">
        {places.map(({ id, name }) => (
          <a key={id} href={`#${id}`} aria-current={id === scene.id ? "page" : undefined} onClick={close}>
            {name}
          </a>
        ))}
      </nav>
      {threads && (
        <ThreadList
          {...list}
          onSelect={(...chosen) => {
            close();
            list?.onSelect?.(...chosen);
          }}
        />
      )}
      {model && <ModelSwitch />}
    </aside>
  );
}

/** In the bar, while the conversations are not beside the chat. */
export function Switches({ scene, threads = true }: { scene: Shown; threads?: boolean }) {
  const menu = useRef<HTMLElement>(null);
  return (
    <>
      {threads && (
        <button type="button" popoverTarget="sidebar" aria-label="Conversations">
          <Icon name="menu" />
        </button>
      )}
      <button type="button" className="switch" popoverTarget="scenes">
        <span className="quiet">glove-wasm</span>
        <strong>
          {scene.name}
          <Icon name="chevron" />
        </strong>
        <span className="heard">, choose a scene</span>
      </button>
      <nav ref={menu} id="scenes" className="menu" aria-label="Scenes" popover="auto">
        {places.map(({ id, name, title }) => (
          <a
            key={id}
            href={`#${id}`}
            aria-current={id === scene.id ? "page" : undefined}
            onClick={() => menu.current?.hidePopover()}
          >
            <strong>{name}</strong> <span className="quiet">{title}</span>
          </a>
        ))}
      </nav>
    </>
  );
}

function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M9 22V12a7 7 0 0 1 14 0v10M9 22h14" />
    </svg>
  );
}
