/** Tickets: the list, and how one is raised. `#/tickets` */

/** @import { Context, Requery } from "../../frame/router.js" */
import { post } from "../../api/client.js";
import { list } from "../requests/list.js";
import { raise } from "../requests/raise.js";

/** @param {Context} context @returns {Promise<Requery>} */
export function view(context) {
  return list(context, {
    type: "ticket", list: "/api/managed-services/tickets", path: "/tickets", one: "ticket", many: "tickets",
    orders: [["-lastMessageAt", "Last message"], ["-createdAt", "Newest"], ["createdAt", "Oldest"]],
    categories: false,
    at: (row) => row.lastMessageAt ?? row.createdAt,
    raise: () => raise("Raise a ticket", "/tickets", [], async (content) =>
      (await post("/api/managed-services/tickets", {}, content)).data),
  });
}
