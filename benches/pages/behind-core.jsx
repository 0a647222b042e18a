// The same, where the first request waits for the core.
import { Page as Ours } from "./ours.jsx";

export function Page(given) {
  return <Ours {...given} kept={{ persistSession: true, ahead: false }} />;
}
