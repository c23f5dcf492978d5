/** The users of the organization, and one of them. `#/settings/users/{id}` */
/** @import { Permission, Role, User } from "workdesk"
 * @import { Context, View } from "../../kit.js" */
import {
  ask, asking, button, denied, facts, form, input, LEAST_ROLES, link, may, named, node, post, put,
  quiet, remove, state, takeAway, time, to, words,
} from "../../kit.js";
import { save } from "../../record/record.js";
import { sessionLine, tokenLine } from "./own.js";
import { verified } from "./profile.js";
import { permissionChoices } from "./labels.js";
import { checks, listed, shown } from "./parts.js";
import { PERMISSIONS, ROLES } from "./sets.js";

export const ROLE = { options: named(ROLES), value: "member" };
export const EMAIL = { type: "email", maxlength: 254 };
export const FULL_NAME = { maxlength: 255 };
const PASSWORD = { type: "password", required: true, autocomplete: "new-password" };
const DISABLED = () => state("disabled", "Disabled", "cross quiet");

/** Boxes of the permissions that a role lacks. @param {Role} role @param {Permission[]} given */
function beyond(role, given) {
  const rank = (/** @type {Role} */ one) => ROLES.indexOf(one);
  const lacks = PERMISSIONS.filter((one) => rank(LEAST_ROLES[one]) > rank(role));
  const all = [...new Set([...lacks, ...given])];
  return checks(all.length > 0 ? "More than the role allows" : "", permissionChoices(all), given,
    "permissions");
}

/** `#/settings/users?connected=false` lists those who never signed in by the provider.
 * @param {Context} context */
export async function users(context) {
  const connected = context.query.get("connected");
  await listed(context, usersOf(connected));
  if (connected === null) return;
  context.body.prepend(node("p", connected === "false"
    ? "Users who are not connected to the provider yet. "
    : "Users who are connected to the provider. ", link(to("/settings/users"), "Show all users")));
}

/** @param {string | null} connected @returns {Parameters<typeof listed<"/api/users", User>>[1]} */
const usersOf = (connected) => ({
  path: "/api/users", on: { limit: 100, ...(connected && { connected }) }, none: "No user.",
  line: ({ id, fullName, username, role, permissions, disabled, createdAt }) => node("li",
    node("a.grow", { href: to(`/settings/users/${id}`) }, fullName, quiet(` @${username}`)),
    disabled && DISABLED(),
    node("span", words(role), permissions?.length ? quiet(` and ${permissions.length} more`) : ""),
    node("span.quiet.when", "since ", time(createdAt))),
  create: "Create a user", reason: denied("manage_users"),
  form: () => ({
    fields: [input("User name", "username",
        { required: true, maxlength: 64, autocapitalize: "none", hint: "It never changes." }),
      input("Full name", "fullName", { ...FULL_NAME, required: true }), input("Role", "role", ROLE),
      input("E-mail", "email", EMAIL),
      input("First password", "password", { ...PASSWORD, hint: "Have the user change it." })],
    act: (values) => post("/api/users", {}, /** @type {any} */ (values)),
  }),
});

/** @type {View} */
export async function user(context, { id }) {
  const on = { id: Number(id) };
  const manages = may("manage_users");
  await shown(context, "The user", "/api/users/{id}", on, (known, record, change) => {
    const { fullName, username, role, disabled, email, emailVerifiedAt, permissions: given } =
      known;
    context.title(fullName);
    const fixed = facts({ "User name": username, Role: !manages && words(role),
      State: disabled ? DISABLED() : state("active", "Active", "full good") });
    if (!manages) return { parts: [fixed, node("p.quiet", denied("manage_users"))] };
    const turn = () => save(record, { disabled: !disabled }, known);
    const permissions = beyond(role, given ?? []);
    return {
      acts: [button("Set a password", () => setPassword(known)), disabled ? button("Enable", turn)
        : asking("Disable", `Disable ${fullName}?`,
          "Sessions and tokens end at once. Records stay.", turn)],
      parts: [fixed, form(change("Save user", {
        fields: [input("Full name", "fullName", { ...FULL_NAME, required: true, value: fullName }),
          input("E-mail", "email", { ...EMAIL, value: email, 
            hint: email && verified(emailVerifiedAt) }),
          input("Role", "role", { options: named(ROLES), value: role }), permissions.element],
        values: (typed) => ({ ...typed, permissions: permissions.values() }),
      }))],
    };
  });
  if (manages) await accessOf(context, on);
}

/** Asks for a new password of a user. @param {User} user */
const setPassword = ({ id, fullName }) => ask(`Set the password of ${fullName}`, {
  text: "All sessions and tokens of the user end.", submit: "Set password",
  fields: input("New password", "password", { ...PASSWORD, hint: "12 to 128 characters." }),
  act: ({ password }) => put("/api/users/{id}/password", { id }, { password }) });

/** The sessions and tokens of a user. @param {Context} context @param {{ id: number }} on */
async function accessOf(context, on) {
  const path = "/api/users/{id}/sessions";
  await listed(context, { path, on, title: "Sessions", none: "No session.", line: sessionLine });
  const gone = () => context.body.querySelectorAll(".session").forEach(takeAway);
  const end = () => remove(path, on).then(gone);
  context.body.append(node("div", asking("End all sessions", "End all sessions?", "Tokens stay.",
    end)));
  const one = "/api/users/{id}/tokens/{tokenId}";
  await listed(context, { path: "/api/users/{id}/tokens", on, title: "Tokens", none: "No token.",
    line: (token, gone) => tokenLine(token, () => remove(one, { ...on, tokenId: token.id })
      .then(gone)) });
}
