/** Settings: a page for each section, one's own first, then the organization's.
 * `#/settings/{section}` */
/** @import { Permission } from "workdesk" @import { Requery, View } from "../../kit.js" */
import { attempt, denied, draw, empty, node, to, words } from "../../kit.js";
import { loaded } from "../../frame/release.js";
import { notifications, sessions, tokens } from "./own.js";
import { organization, profile } from "./profile.js";

/** Loads a section when it is opened. @typedef {() => Promise<View>} Load */
const own = (/** @type {View} */ section) => async () => section;
/** The sections by their names, those of one record, and who may read them.
 * @type {Record<string, Load>} */
const OWN = { profile: own(profile), sessions: own(sessions), tokens: own(tokens),
  notifications: own(notifications) };
/** @type {Record<string, Load>} */
const SHARED = {
  organization: own(organization),
  users: async () => (await import("./users.js")).users,
  invitations: async () => (await import("./invitations.js")).invitations,
  provider: async () => (await import("./provider.js")).provider,
  webhooks: async () => (await import("./webhooks.js")).webhooks,
  connections: async () => (await import("./connections.js")).connections,
  policy: async () => (await import("./policy.js")).policy,
  journal: async () => (await import("./journal.js")).journal,
};
/** @type {Record<string, Load>} */
const ONE = {
  users: async () => (await import("./users.js")).user,
  webhooks: async () => (await import("./webhooks.js")).webhook,
  connections: async () => (await import("./connections.js")).connection,
};
/** @type {Record<string, Permission>} */
const READERS = {
  invitations: "manage_users", provider: "manage_organization", webhooks: "manage_organization",
  journal: "manage_organization",
  connections: "view_agent_remediation", policy: "view_agent_remediation",
};

/** @type {View} */
export async function view(context, parameters) {
  const { section: name = "profile", id } = parameters;
  const sections = Object.entries({ ...OWN, ...SHARED, ...(id && ONE) });
  const section = sections.find(([one]) => one === name)?.[1];
  const links = (/** @type {typeof OWN} */ some) =>
    node("ul", Object.keys(some).map((one) => node("li",
    node("a", { href: to(`/settings/${one}`), "aria-current": one === name && "page" },
      words(one)))));
  const body = node("div.section");
  context.body.classList.add("with-sections");
  context.body.append(node("nav", { "aria-label": "Settings" }, links(OWN), links(SHARED)), body);
  context.title(section ? words(name) : "Settings");
  const reason = READERS[name] ? denied(READERS[name]) : "";
  if (!section || reason) {
    return draw(body, empty(section ? reason.replace("do this", "read this")
      : "There is no such section."));
  }
  let requery = /** @type {Requery | void} */ (undefined);
  await attempt(body, async () => {
    draw(body);
    const opened = await loaded(section);
    requery = await opened({ ...context, body }, parameters);
  });
  return requery;
}
