/** Settings: a page for each section, one's own first, then the organization's. `#/settings/{section}` */
/** @import { Permission } from "workdesk" */
/** @import { View } from "../../kit.js" */
import { denied, empty, node, to, trouble } from "../../kit.js";
import { connection, connections } from "./connections.js";
import { notifications, organization, profile, sessions, tokens } from "./own.js";
import { policy } from "./policy.js";
import { provider } from "./provider.js";
import { invitations } from "./invitations.js";
import { user, users } from "./users.js";
import { webhook, webhooks } from "./webhooks.js";

/** @typedef {{ name: string, title: string, show: View, one?: View, reads?: Permission }} Section */
const AGENT = "view_agent_remediation";
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
  { name: "invitations", title: "Invitations", show: invitations, reads: "manage_users" },
  { name: "provider", title: "Provider", show: provider, reads: "manage_organization" },
  { name: "webhooks", title: "Webhooks", show: webhooks, one: webhook, reads: "manage_organization" },
  { name: "connections", title: "Connections", show: connections, one: connection, reads: AGENT },
  { name: "policy", title: "Policy", show: policy, reads: AGENT },
];

/** @type {View} */
export async function view(context, parameters) {
  const { section: name = "profile", id } = parameters;
  const section = [...OWN, ...SHARED].find((one) => one.name === name);
  const link = (/** @type {Section} */ one) => node("li", node("a", { href: to(`/settings/${one.name}`),
    "aria-current": one === section && "page" }, one.title));
  const body = node("div.section");
  context.body.classList.add("with-sections");
  context.body.append(
    node("nav", { "aria-label": "Settings" }, node("ul", OWN.map(link)), node("ul", SHARED.map(link))), body);
  context.title(section?.title ?? "Settings");
  const reason = section?.reads ? denied(section.reads) : "";
  if (!section || reason) {
    return body.append(empty(section ? reason.replace("do this", "read this") : "There is no such section."));
  }
  const show = async () => {
    body.replaceChildren();
    await ((id && section.one) || section.show)({ ...context, body }, parameters).catch((problem) => {
      if (problem.name !== "AbortError") body.replaceChildren(trouble(problem, show));
    });
  };
  await show();
}
