// The empty conversation of a scene: what it is, and what to try first.
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
              <strong>{say}</strong> <span>{see}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
