// Stands where a result or an output will be drawn, while the application loads what draws it.
import { type ReactNode, Suspense } from "react";
import { useLabels } from "../render/labels.js";

/** Without it, all of the chat would wait for one `React.lazy` component. */
export const Coming = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <Suspense fallback={<Skeleton />}>{children}</Suspense>
);

function Skeleton(): ReactNode {
  const say = useLabels();
  return (
    <div role="status" aria-label={say("Working")} data-glove-skeleton="">
      <i />
      <i />
      <i />
    </div>
  );
}
