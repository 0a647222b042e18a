// An error boundary around each part of the application's.
import { Component, type ContextType, type ReactNode } from "react";
import { EngineContext } from "../hooks/engine-context.js";
import { useLabels } from "./labels.js";

/** What is to be known of a part that may throw. */
export interface Guard {
  /** What it is called where it is reported. */
  name: string;
  /** Told what was thrown; else the conversation around it is. */
  failed?: ((error: unknown, name: string) => void) | undefined;
  /** What it shows: another one is tried anew. */
  of?: unknown;
  /** What could not be shown is of no use any more. */
  over?: boolean;
  /** Turns the question down that could not be shown. */
  dismiss?: (() => void) | undefined;
}

interface BoundaryProps extends Guard {
  /** What draws it. */
  by: unknown;
  children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  static override contextType = EngineContext;
  declare context: ContextType<typeof EngineContext>;
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    const { name, failed = this.context?.failed } = this.props;
    failed?.(error, name);
  }

  override componentDidUpdate({ of, by }: BoundaryProps, { failed }: { failed: boolean }): void {
    // A function of the same source may use other hooks than the one before it: then it only must not have the state of that one.
    const anew = failed ? of !== this.props.of : by !== this.props.by;
    if (this.state.failed && anew) this.#retry();
  }

  #retry = () => this.setState({ failed: false });

  override render(): ReactNode {
    const { over, dismiss, children } = this.props;
    if (!this.state.failed) return children;
    if (over) return null;
    return <Broken retry={this.#retry} dismiss={dismiss} />;
  }
}

function Broken({ retry, dismiss }: Pick<Guard, "dismiss"> & { retry: () => void }): ReactNode {
  const say = useLabels();
  return (
    <div role="alert" data-glove-role="slot-error">
      <p>{say("This part of the conversation could not be shown.")}</p>
      <div data-glove-actions="">
        <button type="button" onClick={retry}>
          {say("Try again")}
        </button>
        {dismiss && (
          <button type="button" onClick={dismiss}>
            {say("Dismiss")}
          </button>
        )}
      </div>
    </div>
  );
}
