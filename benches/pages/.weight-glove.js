import { Displaymanager, Glove, MemoryStore } from "glove-core";
import { z } from "zod";

export { Displaymanager, Glove, MemoryStore, z };
