/** The customer of a project, a ticket or a request: as a field, as choices of filters. */
/** @import { Choice } from "../kit.js" @import { Field } from "./fields.js" */
import { everyCustomer, record } from "../kit.js";

/** The customers as choices. @returns {Promise<Choice[]>} */
export const customerChoices = async () =>
  (await everyCustomer()).map(({ id, name }) => [`${id}`, name]);

/** The name of a customer. One that is archived may have its number alone. @param {number} id */
export const customerName = (id) => record("customer", id)?.name ?? `Customer ${id}`;

/** The field of a record's page. @type {Field} */
export const CUSTOMER = { label: "Customer", name: "customerId",
  choices: async () => [["", "None"], ...await customerChoices()],
  shown: ({ customerId }) => customerId && customerName(customerId) };

/** The filter of a list. @param {Choice[]} customers
 * @returns {import("./filters.js").Filter} */
export const customerFilter = (customers) =>
  ["Customer", "customerId", [["", "Any"], ["none", "None"], ...customers]];
