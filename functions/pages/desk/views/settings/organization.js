/** The organization. `#/settings/organization` */

/** @import { Context } from "../../frame/router.js" */
import { get, patch } from "../../api/client.js";
import { facts, node, number, quiet, time } from "../../elements.js";
import { denied, me } from "../../frame/session.js";
import { textOf } from "../requests/fields.js";

/** @param {Context} context */
export async function organization({ body, signal }) {
  const { id } = me().organization;
  let { data: known } = await get("/api/organizations/{id}", { id }, { signal });
  const reason = denied("manage_organization");
  const name = textOf({
    reason, read: () => known, keep: () => {},
    save: async (change, match) => (known = (await patch("/api/organizations/{id}", { id },
      /** @type {{ name: string }} */ (change), { match })).data),
  }, { label: "Name", name: "name", line: true, shown: (text) => node("span", {}, text) });
  body.append(facts({
    Name: node("div", {}, name.element, reason && quiet("Admins may change it.")), Number: id,
    Plan: known.planFeatures.join(", ") || "no further features",
    Quota: `${number(known.unitsPerSecond)} table units per second`, Created: time(known.createdAt),
  }));
}
