/** What the hours rest on that the agent saved. */
/** @import { HoursSaved } from "workdesk" */
import {
  draw, each, ending, get, more, node, number, quiet, time, to, words,
} from "../../kit.js";

/** Shows the newest actions of the agent. @param {Element} place @param {AbortSignal} signal */
export async function showHours(place, signal) {
  const [rows, end] = [node("ul.list"), node("div")];
  /** @param {HoursSaved[]} saved @param {string | null} next */
  const show = (saved, next) => {
    draw(rows, each(saved, ({ id }) => id, line));
    draw(end, ending(saved.length === 0 && "No action has saved time yet.", next, async (path) => {
      const page = await more(path, { signal });
      show([...saved, ...page.data], page.next);
    }, "Show more"));
  };
  const path = "/api/managed-services/hours-saved";
  const { data, next } = await get(path, { limit: 10 }, { signal });
  const says = node("p.quiet", "Each action stands for the minutes that the same work takes a "
    + "person, as its playbook says. Of one record, one action a day counts.");
  draw(place, says, rows, end);
  show(data, next);
}

/** @param {HoursSaved} saved */
const line = ({ actionType, entity, targetSystem, minutes, agentSessionId, at }) => node("li",
  node("a.grow", { href: to(`/agent-sessions/${agentSessionId}`) },
    words(actionType), " ", node("code", entity)),
  quiet(targetSystem), quiet(`${number(minutes)} min`), time(at));
