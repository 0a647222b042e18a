// The row of a call: its dot on the thread, its title, and what stands beside that.
import type { ReactNode } from "react";
import { Name } from "../../text/visible.js";
import { Icon, type IconProps } from "../icons.js";

/** How far it is, as a dot or a sign on the thread that its row hangs on. */
export const State = ({ icon }: { readonly icon: IconProps["name"] | undefined }): ReactNode => (
  <span data-glove-state-icon="">{icon && <Icon name={icon} />}</span>
);

interface SummaryProps {
  readonly title: string;
  readonly about?: string | undefined;
  /** Stands beside the title, or below it where that is long. */
  readonly children: ReactNode;
}

export function Summary({ title, about, children }: SummaryProps): ReactNode {
  return (
    <summary>
      <span data-glove-head="">
        <span data-glove-title="">
          <Name of={title} />
          {about !== undefined && (
            <span data-glove-about="">
              {" · "}
              <Name of={about} />
            </span>
          )}
        </span>{" "}
        {children}
      </span>
      <Icon name="chevron" />
    </summary>
  );
}
