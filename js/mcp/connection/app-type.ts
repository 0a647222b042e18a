// The type of resources that are apps.

export const appType = "text/html;profile=mcp-app";
