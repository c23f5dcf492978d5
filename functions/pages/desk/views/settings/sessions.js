/** Where the user is signed in. `#/settings/sessions` */

/** @import { OpenSession } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, remove } from "../../api/client.js";
import { button, node, quiet, state, time } from "../../elements.js";
import { confirm, paged } from "./parts.js";

/** @param {Context} context @returns {Promise<void>} */
export async function sessions(context) {
  const { body, signal } = context;
  const list = await paged(get("/api/auth/sessions", { limit: 50 }, { signal }), line, "No session.");
  const end = async () => {
    await remove("/api/auth/sessions", {});
    for (const row of list.element.querySelectorAll("li:not(.current)")) row.remove();
  };
  body.append(
    node("div", {}, button("End all other sessions", () =>
      confirm("End all other sessions?", "Other browsers have to sign in again. Tokens stay.", "End sessions", end))),
    list.element);
}

/** @param {OpenSession} session */
function line({ userAgent, address, createdAt, lastUsedAt, current }) {
  return node("li", { class: current ? "current" : null },
    node("span", { class: "grow", title: userAgent }, browser(userAgent)),
    current && state("current", "This session", "full good"),
    quiet(address),
    quiet("signed in ", time(createdAt)),
    quiet("last used ", time(lastUsedAt)));
}

/** "Chrome on Linux", or the text itself. @param {string | null} agent */
function browser(agent) {
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent ?? "")?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent ?? "")?.[1];
  const names = { Edg: "Edge", OPR: "Opera" };
  if (!name || !system) return agent?.slice(0, 60) ?? "Unknown program";
  return `${names[/** @type {"Edg"} */ (name)] ?? name} on ${system.replace("Mac OS X", "macOS")}`;
}
