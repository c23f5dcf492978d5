/**
 * Receives webhooks with the library `standardwebhooks` from npm, on 127.0.0.1:PORT.
 *
 * `PUT /` sets the secret. `POST /` returns 204 for a message that the library verifies, and 400 for any other.
 */

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

// It is started in the folder of the installed packages.
const { Webhook } = createRequire(join(process.cwd(), "/"))("standardwebhooks");
let secret = "";

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  const body = Buffer.concat(parts).toString();
  let status = 204;
  if (request.method === "PUT") {
    secret = body;
  } else if (request.method === "POST") {
    try {
      new Webhook(secret).verify(body, request.headers);
    } catch (problem) {
      console.log(problem.message);
      status = 400;
    }
  }
  response.writeHead(status).end();
});
server.listen(Number(process.env.PORT), "127.0.0.1");
