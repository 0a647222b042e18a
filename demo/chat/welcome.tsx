// The empty conversation: what this scene is, and what to try first.
import type { Scene } from "../scene.js";

export function Welcome({ scene, send }: { scene: Scene; send: (text: string) => unknown }) {
  return (
    <section className="welcome" aria-label="Welcome">
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
        A script in this page answers: no key, no network. All the rest is real: a Rust core runs the loop, and each step is
        recorded before it happens.
      </p>
    </section>
  );
}
