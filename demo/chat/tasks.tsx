// The assistant's task list.
import { useGlove } from "glove-wasm/react";
import { Icon } from "./icons.js";

const marks = { pending: "ring", in_progress: "spinner", completed: "check" } as const;
const said = { pending: "to do", in_progress: "now", completed: "done" } as const;

export function Tasks() {
  const tasks = useGlove((state) => state.tasks);
  return (
    <section className="panel" aria-label="Tasks">
      <h2>Tasks</h2>
      {tasks.length === 0 && <p className="quiet">Ask for a plan, and its steps appear here.</p>}
      <ol className="tasks">
        {tasks.map(({ id, content, activeForm, status }) => (
          <li key={id} data-status={status}>
            <Icon name={marks[status]} />
            <span>
              {status === "in_progress" ? activeForm : content}
              <span className="heard">, {said[status]}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
