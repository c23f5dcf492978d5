/** Requests: the list, and how one is raised. `#/requests` */

/** @import { Context, Requery } from "../../frame/router.js" */
import { get, post } from "../../api/client.js";
import { field, node, select } from "../../elements.js";
import { list } from "./list.js";
import { raise } from "./raise.js";

/** @param {Context} context @returns {Promise<Requery>} */
export function view(context) {
  return list(context, {
    type: "service_request", list: "/api/service-requests", path: "/requests", one: "request", many: "requests",
    orders: [["-createdAt", "Newest"], ["createdAt", "Oldest"]],
    categories: true,
    at: (row) => row.createdAt,
    raise: raiseRequest,
  });
}

async function raiseRequest() {
  const { data } = await get("/api/managed-services/search-references", { limit: 50 });
  const about = select("reference", [
    ["", "Nothing in particular"],
    ...data.map(({ type, id, title }) => /** @type {[string, string]} */ ([`${type} ${id}`, title])),
  ]);
  const category = node("input", { name: "category", maxlength: 100 });
  raise("Raise a request", "/requests", [field("Category", category), field("About", about)], async (content) => {
    const [type, id] = about.value.split(" ");
    const reference = type ? { referenceType: /** @type {"project"} */ (type), referenceId: Number(id) } : {};
    const request = { ...content, category: category.value.trim() || null, ...reference };
    return (await post("/api/managed-services/request", {}, request)).data;
  });
}
