// Let the owner of a link in, or ask for a name and a password, and open the page.

import { ask, onLoggedOut, openSession } from "./interface.js";
import { complain } from "./messages.js";

const root = document.getElementById("page");

// The token of the link stands behind #, so it is in no request and in no log. It is exchanged for a cookie.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) history.replaceState(null, "", location.pathname + location.search);

// Somebody who opens the link in a tab that shows the page already changes only what stands behind #.
addEventListener("hashchange", () => {
  if (new URLSearchParams(location.hash.slice(1)).has("token")) location.reload();
});

// What stands behind # is the address of a view, so the link to the content must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("view")?.focus();
});

async function enter() {
  try {
    return await openSession(token ? { token } : undefined);
  } catch (problem) {
    const { askWho } = await import("./login.js");
    return askWho(root, token || problem.status !== 401 ? problem.message : "");
  }
}

async function start() {
  const page = import("./page.js"); // while the server is asked
  const session = await enter();
  const { models } = await ask("GET", "api/models");
  const { openPage } = await page;
  await openPage(root, session, models);
}

let isAsking = false;
onLoggedOut(async () => {
  if (isAsking) return;
  isAsking = true;
  const { askWho } = await import("./login.js");
  await askWho(root, "Your session has ended: log in again. What you have taught is in the ledger.");
  location.reload();
});

try {
  await start();
} catch (problem) {
  complain(problem);
}
