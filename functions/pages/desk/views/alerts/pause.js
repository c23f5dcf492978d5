/** Pausing and resuming all actions of the organization. */
import { asking, button, denied, draw, get, node, post, say, state, time } from "../../kit.js";

export async function pauseOf(/** @type {AbortSignal} */ signal) {
  const place = node("span.action");
  const reason = denied("execute_agent_remediation");
  const show = (/** @type {import("workdesk").AgentPause} */ { paused, changedAt }) => {
    const change = async () => {
      show((await post(`/api/concierge/${paused ? "resume" : "pause"}`, {})).data);
      say(paused ? "Actions are resumed." : "All actions are paused.");
      place.querySelector("button")?.focus();
    };
    const since = changedAt && [" since ", time(changedAt)];
    draw(place,
      node("span", paused && [state("paused", "All actions are paused", "pause warn"), since]),
      paused ? button("Resume all actions", change, { reason })
        : asking("Pause all actions", "Pause all actions?",
          "What is approved then waits, in the whole organization, "
          + "until a user resumes it.", change, { reason }));
  };
  show((await get("/api/concierge/pause", {}, { signal })).data);
  return place;
}
