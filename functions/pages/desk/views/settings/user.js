/** A user: name, role, permissions, tokens. `#/settings/users/{id}` */

/** @import { Role, Token, User, UserUpdate } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, patch, put, remove } from "../../api/client.js";
import { button, dialog, facts, field, form, named, node, select, state, words } from "../../elements.js";
import { denied, may, PERMISSIONS } from "../../frame/session.js";
import { update } from "../requests/fields.js";
import { checks, confirm, paged, send } from "./parts.js";
import { tokenLine } from "./tokens.js";
import { ROLES } from "./users.js";

/** @param {Context} context @param {string} address */
export async function user({ header, body, title, signal }, address) {
  const id = Number(address);
  const manages = may("manage_users");
  const line = (/** @type {Token} */ token) =>
    tokenLine(token, () => remove("/api/users/{id}/tokens/{tokenId}", { id, tokenId: token.id }));
  const [{ data }, tokens] = await Promise.all([
    get("/api/users/{id}", { id }, { signal }),
    manages && paged(get("/api/users/{id}/tokens", { id, limit: 50 }, { signal }), line, "No token."),
  ]);
  const place = node("div", { class: "stack" });
  const acts = node("span", { class: "action" });
  /** @param {User} known */
  const show = (known) => {
    title(known.fullName);
    const save = async (/** @type {UserUpdate} */ change, /** @type {{ version: number }} */ match) =>
      (await patch("/api/users/{id}", { id }, change, { match })).data;
    const turn = async (/** @type {boolean} */ disabled) =>
      show(/** @type {User} */ (await update(save, { disabled }, known)));
    const disable = () => confirm(`Disable ${known.fullName}?`, "All sessions and tokens end at once. Records stay.",
      "Disable user", () => turn(true));
    acts.replaceChildren(...(manages ? [
      button("Set a password", () => setPassword(known)),
      known.disabled ? button("Enable", () => turn(false)) : button("Disable", disable),
    ] : []));
    place.replaceChildren(
      facts({
        "User name": known.username,
        State: known.disabled ? state("disabled", "Disabled", "cross quiet") : state("active", "Active", "full good"),
        Role: words(known.role),
      }),
      manages ? edit(known, save, show) : node("p", { class: "quiet" }, denied("manage_users")));
  };
  header.append(acts);
  body.append(place, ...(tokens ? [node("section", {}, node("h2", {}, "Tokens"), tokens.element)] : []));
  show(data);
}

/**
 * @param {User} known @param {(change: UserUpdate, match: User) => Promise<User>} save
 * @param {(user: User) => void} take
 */
function edit(known, save, take) {
  const fullName = node("input", { name: "fullName", required: true, maxlength: 255, value: known.fullName });
  const role = select("role", ROLES, known.role);
  const all = [...new Set([...PERMISSIONS, ...(known.permissions ?? [])])];
  const permissions = checks("Permissions beyond the role’s",
    named(all), known.permissions ?? []);
  const text = (/** @type {{ fullName: string, role: string, permissions?: string[] | null }} */ one) =>
    [one.fullName, words(one.role), ...(one.permissions ?? []).map(words)].join("\n");
  const made = form({
    fields: [field("Full name", fullName), field("Role", role), permissions.element],
    submit: "Save user", draft: "user",
    act: (place) => {
      const chosen = permissions.values();
      const change = {
        fullName: fullName.value, role: /** @type {Role} */ (role.value),
        permissions: all.filter((one) => chosen.includes(one)),
      };
      return send({
        place, what: "The user", known, mine: text(change), theirs: text, take, save: (match) => save(change, match),
      });
    },
  });
  return made;
}

/** @param {User} user */
function setPassword({ id, fullName }) {
  const password = node("input", { name: "password", type: "password", required: true, autocomplete: "new-password" });
  const over = dialog(`Set the password of ${fullName}`, [
    node("p", {}, "All sessions and tokens of the user end."),
    form({
      fields: [field("New password", password, { hint: "12 to 128 characters." })],
      submit: "Set password", cancel: () => over.close(),
      act: async () => {
        await put("/api/users/{id}/password", { id }, { password: password.value });
        over.close();
      },
    }),
  ]);
}
