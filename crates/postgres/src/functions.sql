-- The functions that write: each call is one transaction.

-- How many events there were before. Whoever begins an answer clears away a few of those that are over.
CREATE OR REPLACE FUNCTION glove_add_answer(p_id text, p_call text, p_unsure boolean, p_events text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint; there bigint;
BEGIN
  INSERT INTO glove_answers AS known VALUES (p_id, 0, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET at = clock_timestamp() RETURNING known.events INTO before;
  IF p_unsure THEN
    SELECT min(place) INTO there FROM glove_answer_events WHERE answer = p_id AND call = p_call;
    IF there IS NOT NULL THEN RETURN there; END IF;
  END IF;
  INSERT INTO glove_answer_events SELECT p_id, before + place - 1, p_call, event
    FROM unnest(p_events) WITH ORDINALITY AS given (event, place);
  UPDATE glove_answers SET events = before + cardinality(p_events) WHERE id = p_id;
  IF before = 0 THEN
    DELETE FROM glove_answers WHERE id IN (SELECT id FROM glove_answers
      WHERE at < clock_timestamp() - interval '5 minutes' LIMIT 100 FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN before;
END $$;

CREATE OR REPLACE FUNCTION glove_ensure(p_session text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO glove_sessions (id, created_at, updated_at)
  SELECT p_session, at, at FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at) AS now
  ON CONFLICT DO NOTHING
$$;

-- Takes a session, or keeps it. True if it was this holder's before. `p_had` says that it was, and then nobody else may have had it since.
CREATE OR REPLACE FUNCTION glove_take(p_session text, p_holder text, p_had boolean, p_address text, p_millis bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE found glove_sessions;
BEGIN
  IF NOT p_had THEN PERFORM glove_ensure(p_session); END IF;
  SELECT * INTO found FROM glove_sessions WHERE id = p_session FOR UPDATE;
  IF found.id IS NULL THEN
    RAISE EXCEPTION 'the session was deleted' USING ERRCODE = 'GL004';
  END IF;
  IF found.holder <> p_holder AND found.held_until > clock_timestamp() THEN
    RAISE EXCEPTION 'the session is held' USING ERRCODE = 'GL001';
  END IF;
  IF p_had AND found.holder IS DISTINCT FROM p_holder THEN
    RAISE EXCEPTION 'the session was taken over' USING ERRCODE = 'GL002';
  END IF;
  IF found.holder <> p_holder AND found.phase NOT IN ('idle', 'waiting', 'paused') THEN
    UPDATE glove_sessions SET died_at = clock_timestamp(),
      deaths = CASE WHEN found.died_at > clock_timestamp() - interval '10 minutes' THEN found.deaths + 1 ELSE 1 END
      WHERE id = p_session;
  END IF;
  UPDATE glove_sessions SET holder = p_holder, address = p_address,
    held_until = clock_timestamp() + p_millis * interval '1 millisecond' WHERE id = p_session;
  RETURN found.holder IS NOT DISTINCT FROM p_holder;
END $$;

-- `p_unsure`: the same may have been written already, by a call whose answer was lost. What is there of it is then left as it is.
CREATE OR REPLACE FUNCTION glove_append(p_session text, p_holder text, p_had boolean, p_address text, p_millis bigint,
  p_unsure boolean, p_first bigint, p_messages text[], p_title text, p_seq bigint, p_records text[], p_checkpoint bytea,
  p_phase text, p_asks boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  was_own boolean := glove_take(p_session, p_holder, p_had, p_address, p_millis);
  stored glove_sessions;
  before bigint := p_seq - cardinality(p_records);
  messages_there bigint := 0;
  records_there bigint := 0;
BEGIN
  SELECT * INTO stored FROM glove_sessions WHERE id = p_session;
  IF p_unsure AND was_own THEN
    messages_there := greatest(stored.messages - p_first, 0);
    records_there := greatest(stored.seq - before, 0);
  END IF;
  IF p_first + messages_there <> stored.messages OR before + records_there <> stored.seq
    OR messages_there > cardinality(p_messages) OR records_there > cardinality(p_records) THEN
    RAISE EXCEPTION 'the step does not follow' USING ERRCODE = 'GL003';
  END IF;
  INSERT INTO glove_messages SELECT p_session, p_first + place - 1, message
    FROM unnest(p_messages) WITH ORDINALITY AS given (message, place) WHERE place > messages_there;
  IF p_checkpoint IS NOT NULL THEN
    DELETE FROM glove_records WHERE session = p_session;
  ELSE
    INSERT INTO glove_records SELECT p_session, before + place, record
      FROM unnest(p_records) WITH ORDINALITY AS given (record, place) WHERE place > records_there;
  END IF;
  UPDATE glove_sessions SET messages = p_first + cardinality(p_messages), seq = p_seq,
    checkpoint = coalesce(p_checkpoint, checkpoint), phase = p_phase, asks = p_asks,
    title = CASE WHEN title = '' THEN p_title ELSE title END,
    updated_at = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE id = p_session;
END $$;

-- Whoever holds the session keeps it; `p_own` are the holders of the process that asks.
CREATE OR REPLACE FUNCTION glove_delete(p_session text, p_own text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE found glove_sessions;
BEGIN
  SELECT * INTO found FROM glove_sessions WHERE id = p_session FOR UPDATE;
  IF found.held_until > clock_timestamp() AND found.holder IS NOT NULL AND NOT found.holder = ANY (p_own) THEN
    RAISE EXCEPTION 'the session is held' USING ERRCODE = 'GL001';
  END IF;
  DELETE FROM glove_sessions WHERE id = p_session;
  RETURN found.id IS NOT NULL;
END $$;

CREATE OR REPLACE FUNCTION glove_import(p_session text, p_name text, p_title text, p_created bigint, p_updated bigint,
  p_messages text[], p_seq bigint, p_checkpoint bytea, p_phase text, p_asks boolean, p_tasks text, p_ids text[], p_items text[])
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO glove_sessions (id, name, title, created_at, updated_at, messages, seq, checkpoint, phase, asks, tasks)
    VALUES (p_session, p_name, p_title, p_created, p_updated, cardinality(p_messages), p_seq, p_checkpoint, p_phase, p_asks, p_tasks)
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO glove_messages SELECT p_session, place - 1, message
    FROM unnest(p_messages) WITH ORDINALITY AS given (message, place);
  INSERT INTO glove_inbox (session, id, item) SELECT p_session, given.id, given.item
    FROM unnest(p_ids, p_items) WITH ORDINALITY AS given (id, item, place) ORDER BY place;
  RETURN true;
END $$;
