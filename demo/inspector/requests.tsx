// What the model was told, request by request: exactly what left the page.
import type { Message } from "glove-wasm";
import { type Asked, useLine } from "../network/line.js";
import { Entry } from "./entry.js";
import type { InsideProps } from "./inspector.js";
import { gistOf, kindOf } from "./record.js";

export function Requests({ scene }: InsideProps) {
  const asked = useLine((line) => line.asked).filter((one) => one.scene === scene);
  if (asked.length === 0) return <p className="quiet">Each request to the model appears here, exactly as it is sent.</p>;
  return (
    <ol className="requests">
      {asked.toReversed().map((one) => (
        <li key={one.id}>
          <details>
            <summary>
              <span className="tag" data-tag={one.end}>
                {one.end}
              </span>{" "}
              <span className="gist">
                #{one.id}, {(one.bytes / 1024).toFixed(1)} kB{one.ms !== undefined && `, ${one.ms} ms`}
              </span>
            </summary>
            <Body asked={one} />
          </details>
        </li>
      ))}
    </ol>
  );
}

/** The parts of the endpoint protocol one by one; what other providers get as it is. */
function Body({ asked: { body } }: { asked: Asked }) {
  const { systemPrompt, messages, tools } = body as { systemPrompt?: string; messages?: Message[]; tools?: { name: string }[] };
  if (systemPrompt === undefined || !messages) return <pre>{JSON.stringify(body, undefined, 2)}</pre>;
  return (
    <div className="parts">
      <Entry tag="system" gist={systemPrompt} whole={systemPrompt} />
      <Entry tag="tools" gist={(tools ?? []).map(({ name }) => name).join(", ")} whole={tools} />
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a request never changes.
        <Entry key={at} tag={kindOf(message)} gist={gistOf(message)} whole={message} />
      ))}
    </div>
  );
}
