/** One's own settings beside the profile: sessions, tokens, notifications. */
/** @import { NotificationPreferences, OpenSession, Token } from "workdesk" */
/** @import { Context, View } from "../../kit.js" */
import {
  asking, button, form, get, input, me, node, now, post, Problem, put, quiet, remove, state,
  takeAway, time,
} from "../../kit.js";
import { permissionChoices, permissionName } from "./labels.js";
import { checks, listed } from "./parts.js";

const DAY_MS = 86_400_000;

export function sessions(/** @type {Context} */ context) {
  const gone = () => context.body.querySelectorAll("li:not(.current)").forEach(takeAway);
  const end = () => remove("/api/auth/sessions", {}).then(gone);
  context.body.append(node("div", asking("End all other sessions", "End all other sessions?",
    "Other browsers have to sign in again. Tokens stay.", end)));
  return listed(context, {
    path: "/api/auth/sessions", none: "No session.",
    line: (session, gone) => {
      const end = () => remove("/api/auth/sessions/{id}", { id: session.id }).then(gone);
      const row = sessionLine(session);
      if (!session.current) row.append(button("End", end, { kind: "plain" }));
      return row;
    },
  });
}

export const sessionLine = (/** @type {OpenSession} */ session) => {
  const { userAgent, address, signedInAt, lastUsedAt, current, method } = session;
  return node(current ? "li.current" : "li.session",
    node("span.grow", { title: userAgent }, browser(userAgent)),
    current && state("current", "This session", "full good"), quiet(address),
    quiet("signed in ", method === "oidc" && "by the provider ", time(signedInAt)),
    quiet("last used ", time(lastUsedAt)));
};


/** "Chrome on Linux", or the text itself. @param {string | null} agent */
function browser(agent) {
  const [, name] = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent ?? "") ?? [];
  const [, system] = /(Windows|Android|iPhone|iPad|Mac OS|Linux)/.exec(agent ?? "") ?? [];
  const known = { Edg: "Edge", OPR: "Opera" }[name ?? ""] ?? name;
  return known && system ? `${known} on ${system}` : agent?.slice(0, 60) ?? "Unknown program";
}

export const tokens = (/** @type {Context} */ context) => listed(context, {
  path: "/api/tokens", none: "No token. Scripts and CI use one instead of a password.",
  line: (token, gone) => tokenLine(token, () => remove("/api/tokens/{id}", { id: token.id })
    .then(gone)),
  create: "Create a token", secret: ({ name, token }) => [`Token “${name}”`, token],
  form: () => {
    const own = me().permissions;
    const reading = own.filter((one) => one.startsWith("view_"));
    const permissions = checks("It may", permissionChoices(own), reading, "permissions");
    const hint = "Its use, such as “nightly export”.";
    return {
      fields: [input("Name", "name", { required: true, maxlength: 100, hint }),
        input("Ends", "days",
          { options: [["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]],
            value: "90" }),
        permissions.element],
      act: ({ name, days }) => {
        const [chosen, end] = [permissions.values(), now() + days * DAY_MS];
        if (chosen.length === 0) {
          const detail = "Choose at least one.";
          throw new Problem(400, { detail,
            errors: [{ pointer: "/permissions", code: "value", detail }] });
        }
        return post("/api/tokens", {}, { name, expiresAt: new Date(end).toISOString(),
          permissions: chosen });
      },
    };
  },
});

/** A row of a token, with what revokes it. @param {Token} token
 * @param {() => Promise<unknown>} revoke */
export function tokenLine({ name, permissions, expiresAt, lastUsedAt }, revoke) {
  return node("li",
    node("div.grow", node("b", name),
      node("div.quiet", permissions ? permissions.map(permissionName).join(", ")
        : "All permissions of its owner")),
    quiet("ends ", time(expiresAt)), quiet(lastUsedAt ? ["last used ", time(lastUsedAt)]
      : "never used"),
    asking("Revoke", `Revoke “${name}”?`, "It ends at once. Programs that use it are refused.",
      revoke, { kind: "plain", name: `Revoke ${name}` }));
}

/** @type {Record<keyof NotificationPreferences, string>} */
const KINDS = {
  mentioned: "A comment, a message or a description names me",
  assigned: "I became the assignee of a task, a request or a ticket",
  action_needed: "A manual action of the agent was handed over to me",
  approval_needed: "A proposal of the agent awaits my approval",
  commented: "A comment or a message on what I created, am assigned to or commented on",
  due_soon: "My task is due within 24 hours",
  overdue: "My task is past its due date",
  webhook_disabled: "The service disabled a webhook",
  policy_loosened: "The agent’s policy allows more than before",
  guard_changed: "An admin changed what guards the organization",
};

/** @type {View} */
export async function notifications({ body, signal }) {
  const path = "/api/notifications/preferences";
  const { data: known } = await get(path, {}, { signal });
  const done = node("p", { role: "status" });
  const kinds = Object.entries(KINDS).map(([kind, text]) => {
    const box = (/** @type {"inbox" | "mail"} */ place) => node("input", { type: "checkbox",
      checked: known[/** @type {keyof typeof KINDS} */ (kind)][place],
      "aria-label": `${text}: ${place}` });
    return { kind, text, inbox: box("inbox"), mail: box("mail") };
  });
  const head = node("tr", ["Notify me when", "Inbox", "Mail"].map((name) => node("th", name)));
  const rows = kinds.map(({ text, inbox, mail }) =>
    node("tr", [text, inbox, mail].map((cell) => node("td", cell))));
  body.append(form({
    fields: node("table.kinds", node("thead", head), node("tbody", rows)), submit: "Save",
    act: async () => {
      const wanted = kinds.map(({ kind, inbox, mail }) =>
        [kind, { inbox: inbox.checked, mail: inbox.checked && mail.checked }]);
      await put(path, {}, Object.fromEntries(wanted));
      done.replaceChildren("Saved ", time(new Date(now()).toISOString()), ".");
    },
  }), done);
}
