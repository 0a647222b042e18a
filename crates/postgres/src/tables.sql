-- Everything that is kept of a session. Who holds it may write to it until `held_until`, by the clock of this database.
CREATE TABLE IF NOT EXISTS glove_sessions (
  id text PRIMARY KEY,
  name text NOT NULL DEFAULT '',
  title text NOT NULL DEFAULT '',
  working_dir text NOT NULL DEFAULT '',
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  messages bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  checkpoint bytea,
  phase text NOT NULL DEFAULT 'idle',
  asks boolean NOT NULL DEFAULT false,
  tasks text NOT NULL DEFAULT '[]',
  holder text,
  address text NOT NULL DEFAULT '',
  held_until timestamptz NOT NULL DEFAULT '-infinity');
-- How many holders in a row ended in the middle of work, and when the last of them was found to have.
ALTER TABLE glove_sessions ADD COLUMN IF NOT EXISTS deaths bigint NOT NULL DEFAULT 0;
ALTER TABLE glove_sessions ADD COLUMN IF NOT EXISTS died_at timestamptz NOT NULL DEFAULT '-infinity';
-- For `abandoned`, which is asked several times a second.
CREATE INDEX IF NOT EXISTS glove_working ON glove_sessions (held_until) WHERE phase NOT IN ('idle', 'waiting', 'paused');
CREATE TABLE IF NOT EXISTS glove_messages (
  session text NOT NULL REFERENCES glove_sessions ON DELETE CASCADE,
  at bigint NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (session, at));
CREATE TABLE IF NOT EXISTS glove_records (
  session text NOT NULL REFERENCES glove_sessions ON DELETE CASCADE,
  seq bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (session, seq));
-- The key has the arguments of a call in it, which may be longer than what an index takes.
CREATE TABLE IF NOT EXISTS glove_permissions (
  session text NOT NULL REFERENCES glove_sessions ON DELETE CASCADE,
  key bytea NOT NULL,
  granted boolean NOT NULL,
  PRIMARY KEY (session, key));
CREATE TABLE IF NOT EXISTS glove_inbox (
  session text NOT NULL REFERENCES glove_sessions ON DELETE CASCADE,
  id text NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  item text NOT NULL,
  consumed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (session, id));
-- Answers of the endpoint, for clients that lost their connection. `call` names the call that wrote an event, which may be tried again.
CREATE TABLE IF NOT EXISTS glove_answers (
  id text PRIMARY KEY,
  events bigint NOT NULL,
  at timestamptz NOT NULL);
CREATE INDEX IF NOT EXISTS glove_answers_at ON glove_answers (at);
CREATE TABLE IF NOT EXISTS glove_answer_events (
  answer text NOT NULL REFERENCES glove_answers ON DELETE CASCADE,
  place bigint NOT NULL,
  call text NOT NULL,
  event text NOT NULL,
  PRIMARY KEY (answer, place));

CREATE TABLE IF NOT EXISTS glove_version (version bigint NOT NULL);
DELETE FROM glove_version;
