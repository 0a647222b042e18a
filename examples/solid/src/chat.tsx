// The conversation: what was said, the answer as it is written, and what waits for the person.
import { useGlove } from "glove-wasm/solid";
import { createSignal, For, Match, Show, Switch } from "solid-js";

export function Chat() {
  const glove = useGlove();
  const [text, setText] = createSignal("");

  function send(event: SubmitEvent) {
    event.preventDefault();
    glove.sendMessage(text());
    setText("");
  }

  return (
    <>
      <div role="log">
        <For each={glove.timeline}>
          {(entry) => (
            <Switch>
              <Match when={entry.kind === "tool" && entry}>
                {(call) => (
                  <p class="tool">
                    {call().name}: {call().output ?? "…"}
                  </p>
                )}
              </Match>
              <Match when={(entry.kind === "user" || entry.kind === "agent_text") && entry}>
                {(said) => <p class={said().kind}>{said().text}</p>}
              </Match>
            </Switch>
          )}
        </For>
        <Show when={glove.streamingText}>
          <p class="agent_text">{glove.streamingText}</p>
        </Show>
        <For each={glove.approvals}>
          {(asked) => (
            <div class="card">
              <p>{asked.confirm}</p>
              <button type="button" onClick={() => glove.approve(asked.id)}>
                Allow
              </button>
              <button type="button" onClick={() => glove.reject(asked.id, "The person said no.")}>
                Deny
              </button>
            </div>
          )}
        </For>
        <Show when={glove.error}>{(error) => <p role="alert">{error().message}</p>}</Show>
      </div>
      <form onSubmit={send}>
        <label>
          <input
            aria-label="Message"
            autocomplete="off"
            required
            value={text()}
            onInput={({ target }) => setText(target.value)}
          />
        </label>
        <Show when={glove.busy} fallback={<button type="submit">Send</button>}>
          <button type="button" onClick={glove.abort}>
            Stop
          </button>
        </Show>
        <button type="button" onClick={() => glove.newConversation()}>
          New
        </button>
      </form>
    </>
  );
}
