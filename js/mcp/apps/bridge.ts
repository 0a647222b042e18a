// What is used of the official package for hosts of apps: bundlers leave out the rest of it.

export { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
