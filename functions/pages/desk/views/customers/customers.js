/** The customers of the organization. `#/customers?archived=true` */
/** @import { Customer } from "workdesk" @import { Context } from "../../kit.js" */
import {
  ask, button, denied, go, input, node, post, quiet, store, time, to,
} from "../../kit.js";
import { list } from "../../record/record.js";

export function view(/** @type {Context} */ context) {
  context.header.append(button("New customer", create,
    { kind: "main", key: "c", reason: denied("manage_directory") }));
  return list(context, { type: "customer", list: "/api/customers", noun: "customer", line,
    filters: () => [["Customers", "archived", [["", "Present"], ["true", "Archived"]]]] });
}

function line(/** @type {Customer} */ { id, name, domains, updatedAt }) {
  return node("li",
    node("a.grow", { href: to(`/customers/${id}`) }, node("bdi", name)),
    quiet(domains.join(", ")), quiet("changed ", time(updatedAt)));
}

/** The domains of a text, which commas or spaces separate.
 * @param {string | null | undefined} text */
export const domainsOf = (text) => (text ?? "").toLowerCase().split(/[\s,]+/u).filter(Boolean);

function create() {
  ask("New customer", {
    fields: [input("Name", "name", { required: true, maxlength: 255 }),
      input("Domains", "domains", { hint: "Hosts of its mail addresses, such as ferro.example." })],
    submit: "Create", draft: "customer",
    act: async ({ name = "", domains }) => {
      const { data } = await post("/api/customers", {}, { name, domains: domainsOf(domains) });
      store("customer", data);
      go(`/customers/${data.id}`);
    },
  });
}
