/** Invitations, and the sign-in by the company's provider. `#/settings/provider` */
/** @import { Context, View } from "../../frame/router.js" */
import { get, post, put, remove } from "../../api/client.js";
import { button, form, input, node, quiet, state, time, words } from "../../elements.js";
import { open } from "../../frame/router.js";
import { me } from "../../frame/session.js";
import { asking, listed } from "./parts.js";
import { ROLES } from "./users.js";

const PROVIDER = "/api/organizations/{id}/sign-in";

export const invitations = (/** @type {Context} */ context) => listed(context, {
  rows: (options) => get("/api/invitations", { limit: 50 }, options), none: "No invitation.",
  create: "Invite a person", reason: me().mail ? "" : "This deployment sends no mail.", line,
  form: () => ({
    fields: [input("E-mail", "email", { type: "email", required: true, maxlength: 254 }),
      input("Full name", "fullName", { maxlength: 255 }),
      input("Role", "role", { options: ROLES, value: "member" })],
    act: async (/** @type {any} */ { fullName, ...values }) =>
      (await post("/api/invitations", {}, { ...values, fullName: fullName || null })).data,
  }),
});

/** @param {import("workdesk").Invitation} invitation @returns {HTMLElement} */
function line({ id, email, fullName, role, sentAt, expiresAt, acceptedAt }) {
  const send = () => post("/api/invitations/{id}/send", { id });
  const again = async () => void row.replaceWith(line((await send()).data));
  const drop = () => remove("/api/invitations/{id}", { id }).then(() => row.remove());
  const over = Date.parse(expiresAt) < Date.now();
  /** @type {HTMLElement} */
  const row = node("li",
    node("div.grow", email, node("div.quiet", fullName, fullName && ", ", words(role))),
    acceptedAt ? state("accepted", "Accepted", "check good")
      : state("open", over ? "Expired" : "Open", over ? "cross quiet" : "ring"),
    quiet(acceptedAt ? time(acceptedAt) : ["sent ", time(sentAt), ", ends ", time(expiresAt)]),
    !acceptedAt && button("Send again", again, { kind: "plain", name: `Send again: ${email}` }),
    !acceptedAt && asking("Delete", `Delete the invitation of ${email}?`, "Its link ends at once.", drop,
      { kind: "plain", name: `Delete: ${email}` }));
  return row;
}

/** @type {View} */
export async function provider({ header, body, signal }) {
  const on = { id: me().organization.id };
  /** @type {any} */
  const known = await get(PROVIDER, on, { signal }).then(({ data }) => data, (problem) => {
    if (problem.status !== 404) throw problem;
    return {};
  });
  const { issuer, clientId, groupsClaim = "groups", defaultRole, passwords, updatedAt } = known;
  const groups = Object.entries(known.roles ?? {}).map(([group, role]) => `${group} = ${role}`).join("\n");
  const drop = () => remove(PROVIDER, on).then(() => open());
  if (issuer) {
    header.append(node("span.push", asking("Remove", "Remove the provider?",
      "Its users sign in by a password, which they may have to reset.", drop)));
  }
  body.append(
    node("p.quiet", issuer ? ["Users sign in by this provider. Changed ", time(updatedAt), "."]
      : "Users sign in by a password. A provider of OpenID Connect can do it for them."),
    form({
      fields: [
        input("Issuer", "issuer", { type: "url", required: true, maxlength: 200, value: issuer }),
        input("Client id", "clientId", { required: true, maxlength: 255, value: clientId }),
        input("Client secret", "clientSecret", {
          type: "password", autocomplete: "off", hint: issuer && "Empty: the present one is kept.",
        }),
        input("Roles by group", "roles", { rows: 3, value: groups, hint: "One a line: Group = admin." }),
        input("Claim of the groups", "groupsClaim", { maxlength: 255, value: groupsClaim }),
        input("Role of others", "defaultRole", {
          options: [["", "None: they are refused"], ...ROLES], value: defaultRole,
        }),
        input("Passwords", "passwords", {
          options: [["allowed", "Allowed, too"], ["off", "Off for its users"]], value: passwords,
        }),
      ],
      submit: "Save", draft: "provider",
      act: async (/** @type {any} */ { clientSecret, roles, ...values }) => {
        const lines = roles.split("\n").map((/** @type {string} */ one) => one.split(/\s*=\s*/));
        await put(PROVIDER, on, {
          ...values, defaultRole: values.defaultRole || null, ...(clientSecret && { clientSecret }),
          roles: Object.fromEntries(lines.filter((/** @type {string[]} */ [group]) => group?.trim())),
        });
        open();
      },
    }));
}
