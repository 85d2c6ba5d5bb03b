// Let the owner of a link in, or ask for a name and a password, and open the page.

import { onLoggedOut, openSession } from "./interface.js";
import { askWho } from "./login.js";
import { attempt } from "./messages.js";
import { openPage } from "./page.js";

const root = document.getElementById("page");

// The token of the link stands behind #, so it is in no request and in no log. It is exchanged for a cookie.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) history.replaceState(null, "", location.pathname + location.search);

async function start() {
  let session = null;
  try {
    session = await openSession(token ? { token } : undefined);
  } catch (problem) {
    session = await askWho(root, token ? problem.message : problem.status === 401 ? "" : problem.message);
  }
  await attempt(() => openPage(root, session));
}

let isAsking = false;
onLoggedOut(async () => {
  if (isAsking) return;
  isAsking = true;
  await askWho(root, "Your session has ended: log in again. What you have taught is in the ledger.");
  location.reload();
});

await start();
