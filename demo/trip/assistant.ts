// The trip planner's script: what a model would do with what the person says and with what the tools gave.
import { type Answer, type Assistant, type Call, type Said, taskList } from "../network/script.js";
import { list, named, numberIn, says } from "../network/words.js";
import type { Preferences } from "./cards.js";
import { type City, cities, cityNames, type Place, placeOf, weather } from "./places.js";
import { getPlan, spread } from "./plan.js";

export const assistant: Assistant = (said) => {
  const { text, failed, results } = said;
  if (failed) return { text: sorry(said) };
  const city = cityNames.find((name) => says(text, new RegExp(name.toLowerCase())));
  if (says(text, /\bundo\b|\btake (it|that) back\b|change it back/)) {
    return results.length > 0 ? { text: "The plan is as it was before." } : { calls: [["undo_last_action", {}]] };
  }
  if (says(text, /\b(replace|swap|instead|remove|drop|skip|without|take out)\b/)) return change(said);
  if (says(text, /\b(weather|rain|sun|warm|cold)\b/)) return weatherIn(said, city);
  if (says(text, /\b(what'?s|show|read|tell).*\bplan\b|\bmy plan\b/)) return read(said);
  if (city || says(text, /\b(plan|trip|weekend|travel|days?|holiday|go)\b/)) return plan(said, city);
  return { text: help };
};

function sorry({ failed }: Said): string {
  if (failed?.tool_name === "ask_preferences") return "No hurry. Tell me a city and the number of days when you are ready.";
  return `That did not work: ${failed?.result.message ?? "something went wrong"} Shall I try something else?`;
}

// ---- a trip, in several steps --------------------------------------------------------------------------------------

const tasks = taskList([
  { content: "Ask what you like", activeForm: "Asking what you like" },
  { content: "Search places and weather", activeForm: "Searching places and weather" },
  { content: "Build the itinerary", activeForm: "Building the itinerary" },
]);

function plan(said: Said, city: City | undefined): Answer {
  const days = numberIn(said.text) ?? (says(said.text, /weekend/) ? 2 : undefined);
  const likes = said.data("ask_preferences") as Preferences | undefined;
  if (!likes) {
    const known = { ...(city && { city }), ...(days && { days: Math.min(Math.max(days, 1), 3) }) };
    return { text: "Happy to. A few questions first.", calls: [tasks(0), ["ask_preferences", known]] };
  }
  if (!said.data("search_places")) {
    const searches = likes.likes.map((kind): Call => ["search_places", { city: likes.city, kind }]);
    return { calls: [tasks(1), ...searches, ["check_weather", { city: likes.city }]] };
  }
  if (!said.data("make_itinerary")) {
    const thought = `There is more to see than ${likes.days === 1 ? "one day holds" : `${likes.days} days hold`}. I mix ${list(likes.likes)}, keep what is close together on the same day, and make the days ${likes.pace}.`;
    return { thought, calls: [tasks(2), ["make_itinerary", itinerary(said, likes)]] };
  }
  if (!allDone(said)) return { calls: [tasks(3)] };
  const { stops, euros } = said.data("make_itinerary") as { stops: number; euros: number };
  const [first] = weather[likes.city];
  return {
    text: `Your trip to ${likes.city} has ${stops} stops and costs about €${euros}. Day 1 weather: ${first}. To change a stop, say “replace the …”.`,
  };
}

/** What was found, kind by kind in turn, as much as the days hold. */
function itinerary({ results }: Said, { city, days, pace }: Preferences) {
  const found = results.filter(({ tool_name }) => tool_name === "search_places");
  const kinds = found.map(({ result }) => result.data as { id: string }[]);
  const longest = Math.max(...kinds.map(({ length }) => length));
  const mixed = Array.from({ length: longest }, (_, at) => kinds.flatMap((kind) => kind[at] ?? [])).flat();
  const places = mixed.flatMap(({ id }) => placeOf(id) ?? []).slice(0, days * (pace === "packed" ? 4 : 3));
  return { city, days: spread(places, days) };
}

const allDone = ({ results }: Said) => results.filter(({ tool_name }) => tool_name === "glove_update_tasks").length > 3;

// ---- small requests ------------------------------------------------------------------------------------------------

function change(said: Said): Answer {
  const done = said.data("change_stop") as { gone: string; instead?: string } | undefined;
  if (done) {
    return { text: done.instead ? `${done.instead} takes the place of ${done.gone}.` : `${done.gone} is out of the plan.` };
  }
  const [stop] = named<Place>(placesInPlan(), said.text);
  if (!stop) return { text: "Which stop do you mean? Use its name from the plan." };
  const take_out = says(said.text, /\b(remove|drop|skip|without|take out)\b/);
  return { calls: [["change_stop", { stop: stop.id, ...(take_out && { take_out }) }]] };
}

/** A real model has read the plan in the conversation; the script looks it up. */
function placesInPlan(): readonly Place[] {
  return (getPlan()?.days.flat() ?? []).flatMap((id) => placeOf(id) ?? []);
}

function weatherIn(said: Said, city: City | undefined): Answer {
  const told = said.data("check_weather") as { city: string; days: string[] } | undefined;
  if (told) return { text: `${told.city}, the next three days: ${list(told.days)}.` };
  return { calls: [["check_weather", { city: city ?? getPlan()?.city ?? "Lisbon" }]] };
}

function read(said: Said): Answer {
  if (said.results.length === 0) return { calls: [["read_plan", {}]] };
  const plan = said.data("read_plan") as { city: string; days: string[][] } | null;
  if (!plan) return { text: "There is no plan yet. Where would you like to go?" };
  return { text: `${plan.city}. ${plan.days.map((names, day) => `Day ${day + 1}: ${list(names)}.`).join(" ")}` };
}

const help = `I plan trips to ${list(Object.keys(cities))}. Try “a weekend in Kyoto”, and then “replace the tea house”.`;
