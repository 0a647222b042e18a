// How much a request may use, and what it may not exceed.

/** What one request may use before it is paused, or (with `ask`) a person is asked. At most the work in flight goes over it. */
export interface Budgets {
  /** Model calls. */
  readonly turns?: number;
  readonly tool_calls?: number;
  /** Tokens in and out. */
  readonly tokens?: number;
  /** US dollars, where the model tells what it costs. */
  readonly cost?: number;
  /** Working time in milliseconds; waiting for a person does not count. A tool that runs longer is stopped, unless it is `unAbortable`. */
  readonly wall_clock_ms?: number;
  /** Ask a person whether to go on, instead of pausing. */
  readonly ask?: boolean;
}

/** What no request may exceed. */
export interface Limits {
  /** Model calls in one request; 120 unless given. */
  readonly turns?: number;
  /** Calls that one answer may hold, 128 unless given; those beyond are answered with an error. */
  readonly calls_per_turn?: number;
  /** A longer tool result is cut, with a notice; 256 kB (262,144) unless given. */
  readonly result_bytes?: number;
  /** Rounds with nothing but errors, after which the model is told to stop and explain; 3 unless given, 0 for never. */
  readonly error_rounds?: number;
  /** Rounds with the same calls and results, after which the run is stopped; 3 unless given, 0 for never. */
  readonly same_rounds?: number;
  /** Actions that can be taken back; 100 unless given. */
  readonly undo_steps?: number;
}
