/** The user's tokens. `#/settings/tokens` */

/** @import { Token } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post, remove } from "../../api/client.js";
import { button, dialog, field, form, named, node, quiet, select, time, words } from "../../elements.js";
import { me } from "../../frame/session.js";
import { checks, confirm, gone, paged, secret } from "./parts.js";

const DAY_MS = 86_400_000;

/** @param {Context} context */
export async function tokens({ header, body, signal }) {
  const line = (/** @type {Token} */ token) => tokenLine(token, () => remove("/api/tokens/{id}", { id: token.id }));
  const none = "No token. Scripts and CI use one instead of a password.";
  const list = await paged(get("/api/tokens", { limit: 50 }, { signal }), line, none);
  header.append(button("Create a token", () => create((token) => {
    list.prepend(token);
    body.prepend(secret(`Token “${token.name}”`, token.token));
  }), { kind: "main" }));
  body.append(list.element);
}

/** A row of a token, with a button that revokes it. @param {Token} token @param {() => Promise<unknown>} revoke */
export function tokenLine({ name, permissions, expiresAt, lastUsedAt }, revoke) {
  const act = async () => {
    await revoke();
    gone(row);
  };
  const text = "It ends at once. Programs that use it are refused.";
  const ask = () => confirm(`Revoke “${name}”?`, text, "Revoke token", act);
  /** @type {HTMLElement} */
  const row = node("li", {},
    node("div", { class: "grow" }, node("b", {}, name), node("div", { class: "quiet" },
      permissions ? permissions.map((one) => words(one)).join(", ") : "All permissions of its owner")),
    quiet("ends ", time(expiresAt)),
    quiet(...(lastUsedAt ? ["last used ", time(lastUsedAt)] : ["never used"])),
    button("Revoke", ask, { kind: "plain", name: `Revoke ${name}` }));
  return row;
}

/** @param {(token: Token & { token: string | null }) => void} created */
function create(created) {
  const name = node("input", { name: "name", required: true, maxlength: 100 });
  const days = select("expiresAt", [["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]], "90");
  const own = me().permissions;
  const permissions = checks("Permissions (none chosen: all of yours)", named(own), []);
  const over = dialog("Create a token", [
    form({
      fields: [field("Name", name, { hint: "Its purpose, such as “nightly export”." }), field("Ends", days),
        permissions.element],
      submit: "Create token", draft: "token", cancel: () => over.close(),
      act: async () => {
        const chosen = permissions.values();
        const expiresAt = new Date(Date.now() + Number(days.value) * DAY_MS).toISOString();
        const { data } = await post("/api/tokens", {}, {
          name: name.value, expiresAt, permissions: chosen.length ? own.filter((one) => chosen.includes(one)) : null,
        });
        over.close();
        created(data);
      },
    }),
  ]);
}
