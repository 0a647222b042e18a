// Keeps a renderer that throws from taking anything else with it.
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** What could not be shown is of no use any more. */
  over?: boolean;
  /** Turns the question down that could not be shown. */
  dismiss?: (() => void) | undefined;
  /** Told what was thrown. */
  failed: (error: unknown) => void;
  children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.failed(error);
  }

  override render(): ReactNode {
    const { over, dismiss, children } = this.props;
    if (!this.state.failed) return children;
    if (over) return null;
    return (
      <div role="alert" data-glove-role="slot-error">
        <p>This part of the conversation could not be shown.</p>
        <div data-glove-actions="">
          <button type="button" onClick={() => this.setState({ failed: false })}>
            Try again
          </button>
          {dismiss && (
            <button type="button" onClick={dismiss}>
              Dismiss
            </button>
          )}
        </div>
      </div>
    );
  }
}
