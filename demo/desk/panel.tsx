// The board beside the conversation: services, refunds, and what happened last.
import { resetBoard, type Service, useBoard } from "./board.js";

export function BoardPanel() {
  const { services, refunds, fingerprint, log } = useBoard();
  return (
    <>
      <section className="panel" aria-label="Services">
        <h2>Services</h2>
        <ul className="services">
          {services.map((service) => (
            <Row key={service.id} service={service} />
          ))}
        </ul>
      </section>
      <section className="panel" aria-label="Desk">
        <h2>Desk</h2>
        <dl className="facts">
          <div>
            <dt>Refunded</dt>
            <dd>€{refunds.reduce((sum, { euros }) => sum + euros, 0)}</dd>
          </div>
          <div>
            <dt>Paging key</dt>
            <dd>{fingerprint ?? <span className="quiet">none</span>}</dd>
          </div>
        </dl>
        {log.length > 0 && (
          <ol className="log" aria-label="What happened">
            {log.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names.
              <li key={at}>{line}</li>
            ))}
          </ol>
        )}
        <button type="button" onClick={resetBoard}>
          Reset incident
        </button>
      </section>
    </>
  );
}

function Row({ service: { name, state, replicas, latency } }: { service: Service }) {
  return (
    <li data-state={state}>
      <span className="lamp" aria-hidden="true" />
      <span>
        {name}
        <span className="quiet">{state}</span>
      </span>
      <span className="service-numbers">
        {latency.toLocaleString("en")} ms
        <span className="quiet">
          {replicas} {replicas === 1 ? "replica" : "replicas"}
        </span>
      </span>
    </li>
  );
}
