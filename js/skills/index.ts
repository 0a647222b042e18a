// The entry for Agent Skills: folders with a SKILL.md, which many agents read, as skills of a conversation, and the other way.
export { type AgentSkillFiles, type AgentSkillOptions, agentSkillAt, agentSkills } from "./agent-skill.js";
export { skillFiles } from "./skill-files.js";
