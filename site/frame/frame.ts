// What runs in the sandboxed frame of an example.
import { begin } from "./begin.js";

begin();
