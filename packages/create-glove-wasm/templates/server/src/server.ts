// Listens at /api/chat: `npm run dev` while you write it, `npm start` in production.
import { createServer } from "node:http";
import { chat } from "./chat.ts";

const server = createServer((request, response) => {
  if (request.url?.split("?")[0] === "/api/chat") return chat(request, response);
  response.writeHead(404).end();
});

const port = Number(process.env.PORT || 3000);
server.listen(port, () => console.log(`http://localhost:${port}`));
