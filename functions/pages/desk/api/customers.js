/** The customers of the organization, read once for all views. */
/** @import { Customer } from "workdesk" */
import { get } from "./client.js";
import { store } from "./records.js";

let customers = /** @type {Promise<Customer[]> | undefined} */ (undefined);

/** The customers that are not archived, by name, up to 1,000: read at the first call and again
 * after one changed. */
export function everyCustomer() {
  customers ??= get("/api/customers", {}, { quiet: true })
    .then(({ data }) => store("customer", data));
  customers.catch(forgetCustomers);
  return customers;
}

/** Has the next `everyCustomer` read again. */
export const forgetCustomers = () => void (customers = undefined);
