import { useChat } from "@ai-sdk/react";
import { DirectChatTransport, jsonSchema, stepCountIs, streamText, tool } from "ai";

export { DirectChatTransport, jsonSchema, stepCountIs, streamText, tool, useChat };
