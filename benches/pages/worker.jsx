// The same page with its core in a worker.
import { Page as Ours } from "./ours.jsx";

export const Page = (props) => <Ours {...props} worker />;
