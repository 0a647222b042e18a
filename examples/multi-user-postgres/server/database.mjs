// Conversations in PostgreSQL: each row has its owner, and no query goes without it. A step is one transaction.
import pg from "pg";

const tables = `
  create table if not exists sessions (owner text, id text, messages int not null default 0, seq bigint not null default 0,
    checkpoint text, title text not null default '', changed timestamptz not null default now(), primary key (owner, id));
  create table if not exists messages (owner text, id text, at int, message text not null, primary key (owner, id, at),
    foreign key (owner, id) references sessions on delete cascade);
  create table if not exists records (number bigserial primary key, owner text, id text, record text not null,
    foreign key (owner, id) references sessions on delete cascade);
  create index if not exists records_of on records (owner, id)`;

/** Somebody has written in between: nothing was stored. */
export class Conflict extends Error {}

/** Would a run go on from here? */
function isUnfinished(checkpoint) {
  const { state } = JSON.parse(checkpoint ? JSON.parse(checkpoint) : "{}");
  return Boolean(state && (state.phase !== "idle" || state.current || state.queue?.length));
}

export async function openDatabase(connectionString) {
  const pool = new pg.Pool({ connectionString });
  await pool.query(tables);

  /** All of it, or nothing; of two writers of a session, the second waits for the first. */
  async function write(owner, id, work) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("insert into sessions (owner, id) values ($1, $2) on conflict do nothing", [owner, id]);
      const { rows } = await client.query("select messages, seq from sessions where owner = $1 and id = $2 for update", [
        owner,
        id,
      ]);
      await work(client, { count: rows[0].messages, seq: Number(rows[0].seq) });
      await client.query("commit");
      client.release();
    } catch (error) {
      await client.query("rollback").then(
        () => client.release(),
        (broken) => client.release(broken),
      );
      throw error;
    }
  }

  async function append(client, owner, id, from, messages) {
    for (const [index, message] of messages.entries()) {
      const row = [owner, id, from + index, JSON.stringify(message)];
      await client.query("insert into messages (owner, id, at, message) values ($1, $2, $3, $4)", row);
    }
    const title =
      messages
        .find(({ sender, text }) => sender === "user" && text)
        ?.text.slice(0, 80)
        .replaceAll("\0", "") ?? "";
    const set = "messages = $3, title = case when title = '' then $4 else title end, changed = now()";
    await client.query(`update sessions set ${set} where owner = $1 and id = $2`, [owner, id, from + messages.length, title]);
  }

  return {
    close: () => pool.end(),
    async list(owner) {
      const { rows } = await pool.query("select id, title from sessions where owner = $1 order by changed desc limit 100", [
        owner,
      ]);
      return rows;
    },
    async read(owner, id) {
      // One statement sees one moment.
      const one = `select checkpoint,
        (select coalesce(array_agg(message order by at), '{}') from messages where owner = $1 and id = $2) as messages,
        (select coalesce(array_agg(record order by number), '{}') from records where owner = $1 and id = $2) as records
        from sessions where owner = $1 and id = $2`;
      const { rows } = await pool.query(one, [owner, id]);
      const { checkpoint = null, messages = [], records = [] } = rows[0] ?? {};
      const run = { messages: messages.map((text) => JSON.parse(text)), records: records.map((text) => JSON.parse(text)) };
      return checkpoint === null ? run : { ...run, checkpoint: JSON.parse(checkpoint) };
    },
    /** Messages from elsewhere: a finished run gives way to them, and into the middle of one they do not come. */
    appendMessages: (owner, id, messages) =>
      write(owner, id, async (client, { count }) => {
        const run = `select checkpoint, exists (select from records where owner = $1 and id = $2) as begun
          from sessions where owner = $1 and id = $2`;
        const { rows } = await client.query(run, [owner, id]);
        if (rows[0].begun || isUnfinished(rows[0].checkpoint)) throw new Conflict();
        await client.query("update sessions set checkpoint = null, seq = 0 where owner = $1 and id = $2", [owner, id]);
        await append(client, owner, id, count, messages);
      }),
    appendStep: (owner, id, { firstMessage, messages, records, checkpoint, seq }) =>
      write(owner, id, async (client, stored) => {
        const first = records[0]?.seq;
        const follows = typeof first === "number" ? first === stored.seq + 1 : seq >= stored.seq;
        if (firstMessage !== stored.count || !follows) throw new Conflict();
        await append(client, owner, id, stored.count, messages);
        if (checkpoint !== undefined) {
          await client.query("delete from records where owner = $1 and id = $2", [owner, id]);
          await client.query("update sessions set checkpoint = $3 where owner = $1 and id = $2", [
            owner,
            id,
            JSON.stringify(checkpoint),
          ]);
        } else {
          const insert = "insert into records (owner, id, record) values ($1, $2, $3)";
          for (const record of records) await client.query(insert, [owner, id, JSON.stringify(record)]);
        }
        await client.query("update sessions set seq = $3 where owner = $1 and id = $2", [owner, id, seq]);
      }),
  };
}
