// The empty conversation: what this scene is, and what to try first.
import type { Scene } from "../scene.js";

export function Welcome({ scene, send }: { scene: Scene; send: (text: string) => unknown }) {
  return (
    <section className="welcome" aria-label="Welcome">
      <p className="eyebrow">An agent that runs in this tab</p>
      <h2>{scene.title}</h2>
      <p>{scene.about}</p>
      <ul>
        {scene.tries.map(({ say, see }) => (
          <li key={say}>
            <button type="button" onClick={() => send(say)}>
              <strong>{say}</strong>
              <span>{see}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="fine">
        A script stands in for the model: no key, no network. All the rest is real. A Rust core in WebAssembly runs the loop and
        records each step before it happens, so reload, crash or cut it on the way.
      </p>
    </section>
  );
}
