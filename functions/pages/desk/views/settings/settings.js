/** Settings: a page for each section, one's own first, then those of the organization. `#/settings/{section}` */

/** @import { Permission } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { empty, node, trouble } from "../../elements.js";
import { to } from "../../frame/router.js";
import { denied } from "../../frame/session.js";
import { connection, connections } from "./connections.js";
import { notifications, organization, profile, sessions, tokens } from "./own.js";
import { policy } from "./policy.js";
import { user, users } from "./users.js";
import { webhook, webhooks } from "./webhooks.js";

/** @typedef {(context: Context, id: string) => Promise<void>} Show */
/** @typedef {{ name: string, title: string, show: Show, one?: Show, reads?: Permission }} Section */

/** @type {Section[]} */
const OWN = [
  { name: "profile", title: "Profile", show: profile },
  { name: "sessions", title: "Sessions", show: sessions },
  { name: "tokens", title: "Tokens", show: tokens },
  { name: "notifications", title: "Notifications", show: notifications },
];
/** @type {Section[]} */
const SHARED = [
  { name: "organization", title: "Organization", show: organization },
  { name: "users", title: "Users", show: users, one: user },
  { name: "webhooks", title: "Webhooks", show: webhooks, one: webhook, reads: "manage_organization" },
  { name: "connections", title: "Connections", show: connections, one: connection, reads: "view_agent_remediation" },
  { name: "policy", title: "Policy", show: policy, reads: "view_agent_remediation" },
];

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view(context, { section: name = "profile", id = "" }) {
  const section = [...OWN, ...SHARED].find((one) => one.name === name);
  const link = (/** @type {Section} */ one) => node("li", node("a", {
    href: to(`/settings/${one.name}`), "aria-current": one === section ? "page" : null,
  }, one.title));
  const body = node("div.section");
  context.body.classList.add("with-sections");
  context.body.append(node("nav", { "aria-label": "Settings" },
    node("ul", OWN.map(link)), node("ul", SHARED.map(link))), body);
  if (!section) return body.append(empty("There is no such section."));
  context.title(section.title);
  const reason = section.reads ? denied(section.reads) : "";
  if (reason) return body.append(empty(reason.replace("do this", "read this")));
  const show = async () => {
    body.replaceChildren();
    await (id && section.one ? section.one : section.show)({ ...context, body }, id).catch((problem) => {
      if (problem.name !== "AbortError") body.replaceChildren(trouble(problem, show));
    });
  };
  await show();
}
