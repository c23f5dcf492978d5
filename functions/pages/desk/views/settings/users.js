/** The users of the organization, and one of them. `#/settings/users/{id}` */

/** @import { Role, User } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, patch, post, put, remove } from "../../api/client.js";
import { ask, button, facts, form, input, named, node, quiet, state, time, words } from "../../elements.js";
import { to } from "../../frame/router.js";
import { denied, may, PERMISSIONS } from "../../frame/session.js";
import { save } from "../../record/fields.js";
import { tokenLine } from "./own.js";
import { asking, changing, checks, listed, shown } from "./parts.js";

export const ROLES = /** @type {[Role, string][]} */ (named(["viewer", "member", "support", "manager", "admin"]));
const PASSWORD = { type: "password", required: true, autocomplete: "new-password" };

/** @param {Context} context */
export const users = (context) => listed(context, {
  rows: (options) => get("/api/users", { limit: 100 }, options), line, none: "No user.",
  create: "Create a user", reason: denied("manage_users"),
  form: () => ({
    fields: [
      input("User name", "username", { required: true, maxlength: 64, autocapitalize: "none", hint: "It never changes." }),
      input("Full name", "fullName", { required: true, maxlength: 255 }),
      input("Role", "role", { options: ROLES, value: "member" }),
      input("First password", "password", { ...PASSWORD, hint: "12 to 128 characters. Have the user change it." }),
    ],
    draft: "user", act: async (values) => (await post("/api/users", {}, /** @type {any} */ (values))).data,
  }),
});

/** @param {User} user */
function line({ id, fullName, username, role, permissions, disabled, createdAt }) {
  return node("li",
    node("a.grow", { href: to(`/settings/users/${id}`) }, fullName, quiet(` @${username}`)),
    disabled && state("disabled", "Disabled", "cross quiet"),
    node("span", words(role), permissions?.length ? quiet(` and ${permissions.length} more`) : ""),
    node("span.quiet.when", "since ", time(createdAt)));
}

/** @param {Context} context @param {string} address */
export async function user(context, address) {
  const on = { id: Number(address) };
  const manages = may("manage_users");
  const { data } = await get("/api/users/{id}", on, { signal: context.signal });
  shown(context, data, (change, match) => patch("/api/users/{id}", on, change, { match }), (known, record) => {
    const { fullName, username, role, disabled, permissions: given } = known;
    context.title(fullName);
    const turn = () => save(record, { disabled: !disabled }, known);
    const setPassword = () => ask(`Set the password of ${fullName}`, {
      text: "All sessions and tokens of the user end.", submit: "Set password",
      fields: input("New password", "password", { ...PASSWORD, hint: "12 to 128 characters." }),
      act: ({ password = "" }) => put("/api/users/{id}/password", on, { password }),
    });
    const fixed = facts({
      "User name": username, Role: words(role),
      State: disabled ? state("disabled", "Disabled", "cross quiet") : state("active", "Active", "full good"),
    });
    if (!manages) return { parts: [fixed, node("p.quiet", denied("manage_users"))] };
    const all = [...new Set([...PERMISSIONS, ...(given ?? [])])];
    const permissions = checks("Permissions beyond the role’s", named(all), given ?? []);
    return {
      acts: [button("Set a password", setPassword), disabled ? button("Enable", turn)
        : asking("Disable", `Disable ${fullName}?`, "All sessions and tokens end at once. Records stay.", turn)],
      parts: [fixed, form(changing({
        what: "The user", known, submit: "Save user", save: record.patch, keep: record.keep,
        fields: [input("Full name", "fullName", { required: true, maxlength: 255, value: fullName }),
          input("Role", "role", { options: ROLES, value: role }), permissions.element],
        values: (typed) => ({ fullName: typed.fullName, role: typed.role, permissions: permissions.values() }),
      }))],
    };
  });
  if (manages) await listed(context, {
    title: "Tokens", rows: (options) => get("/api/users/{id}/tokens", { ...on, limit: 50 }, options), none: "No token.",
    line: (token) => tokenLine(token, () => remove("/api/users/{id}/tokens/{tokenId}", { ...on, tokenId: token.id })),
  });
}
