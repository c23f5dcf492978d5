/** Pausing and resuming actions: all of the organization, or those through one connection. */

/** @import * as api from "workdesk" */
import { get, post } from "../../api/client.js";
import { button, node, state, time } from "../../elements.js";
import { say } from "../../frame/frame.js";
import { denied } from "../../frame/session.js";

/** @param {AbortSignal} signal */
export async function readPause(signal) {
  return (await get("/api/concierge/pause", {}, { signal })).data;
}

/** The pause of all actions, with the button that ends or begins it. @param {api.AgentPause} pause
 * @param {AbortSignal} signal */
export function pauseBar(pause, signal) {
  const place = node("span", { class: "action" });
  /** @param {api.AgentPause} now */
  const show = (now) => {
    const change = async () => {
      const { data } = now.paused ? await post("/api/concierge/resume", {}, undefined, { signal })
        : await post("/api/concierge/pause", {}, undefined, { signal });
      show(data);
      say(data.paused ? "All actions are paused." : "Actions are resumed.");
      place.querySelector("button")?.focus();
    };
    const since = now.paused && now.changedAt ? [" since ", time(now.changedAt)] : [];
    place.replaceChildren(
      now.paused ? node("span", {}, state("paused", "All actions are paused", "pause warn"), ...since) : "",
      button(now.paused ? "Resume all actions" : "Pause all actions", change,
        { reason: denied("execute_agent_remediation") }));
  };
  show(pause);
  return place;
}

/** A connection's pause and breaker. @param {string} name @param {AbortSignal} signal */
export async function connectionBar(name, signal) {
  const place = node("div", { class: "action" });
  const read = async () => show((await get("/api/concierge/connections/{name}", { name }, { signal })).data);
  /** @param {api.ConnectionWithBreaker} now */
  const show = ({ paused, breaker }) => {
    const change = async () => {
      if (paused) await post("/api/concierge/connections/{name}/resume", { name }, undefined, { signal });
      else await post("/api/concierge/connections/{name}/pause", { name }, undefined, { signal });
      await read();
      say(paused ? `${name} is resumed.` : `${name} is paused.`);
      place.querySelector("button")?.focus();
    };
    const until = breaker.openUntil ? [" until ", time(breaker.openUntil)] : [];
    place.replaceChildren(
      paused ? state("paused", `${name} is paused`, "pause warn")
      : breaker.state === "closed" ? state("active", `${name} takes calls`, "check good")
      : node("span", {}, state("breaker", `${name} gives no clear answers: calls wait`, "warning warn"), ...until),
      button(paused || breaker.state !== "closed" ? `Resume ${name}` : `Pause ${name}`, change,
        { reason: denied("execute_agent_remediation") }));
  };
  await read();
  return place;
}
