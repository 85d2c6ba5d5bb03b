// Erase a person, or one text, for ever; keep the certificate, and check one.

import { openDialog } from "./dialogs.js";
import { button, count, download, field, make, showText } from "./elements.js";
import { ask } from "./api.js";
import { attempt, complain, tell } from "./messages.js";

const MOST_COUNTED = 1000;
const MOST_LISTED = 100; // texts of other people
const MOST_SHOWN = 300; // characters of each
const TRIES = 20; // for a certificate that is not ready yet
const WAIT_MS = 1500;

// Ask whom to erase, or which text, with a typed confirmation. Resolves to whether something was erased.
export function erase(context, subject, event) {
  return openDialog("Erase for ever", (close) => {
    const about = make("input", { type: "text", value: subject ?? "", autocomplete: "off", oninput: () => look() });
    const typed = make("input", { type: "text", autocomplete: "off", spellcheck: "false", oninput: () => allow() });
    const names = make("textarea", { rows: "2", autocomplete: "off", spellcheck: "false", oninput: () => look() });
    const found = make("p", { role: "status" });
    const others = make("div", { class: "stack" });
    const word = () => (event ? "erase" : about.value.trim());
    const typedName = make("span", { class: "field-name" });
    const start = make("button", { type: "submit", class: "grave", disabled: true }, "Erase for ever");
    let isKnown = Boolean(event); // whether there is something to erase
    const allow = () => {
      start.disabled = !isKnown || !word() || typed.value !== word();
    };
    let timer = null;
    const look = () => {
      typedName.replaceChildren("To confirm, type ", make("b", { dir: "auto" }, word() || "the name"));
      isKnown = Boolean(event);
      allow();
      clearTimeout(timer);
      if (event) return;
      const subject = word();
      const given = names.value;
      const isOld = () => subject !== word() || given !== names.value;
      timer = setTimeout(async () => {
        const isFound = await tellHowMany(context, subject, found);
        if (isOld()) return;
        isKnown = isFound;
        allow();
        const mentions = isFound ? await findMentions(context, subject, listNames(names)) : null;
        if (!isOld()) others.replaceChildren(...showMentions(mentions));
      }, 250);
    };
    look();
    const form = make(
      "form",
      {
        class: "stack",
        onsubmit: async (submitted) => {
          submitted.preventDefault();
          start.disabled = true;
          start.textContent = "Erasing …";
          try {
            const person = { subject: word(), names: listNames(names) };
            await run(context, event ? { events: [event.number] } : person, listChosen(others));
            close(true);
          } catch (problem) {
            start.textContent = "Erase for ever";
            allow();
            complain(problem);
          }
        },
      },
      make(
        "p",
        {},
        "Texts, labels and the name are deleted from the ledger and from the model. This can't be undone. ",
        "The certificate proves it. It is saved as a file. ",
        "Copies elsewhere stay: the files that the texts came from, models that were downloaded, and backups.",
      ),
      event
        ? make("p", {}, `The text of event ${event.number} is erased.`)
        : field("Whom is it about?", about, "The name or number, exactly as it was given with the texts."),
      !event && found,
      !event &&
        field(
          "Other names and e-mail addresses, one on each line (may be empty)",
          names,
          "Texts of other people that mention the person are counted, and listed here for you to decide.",
        ),
      !event && others,
      make("label", { class: "field" }, typedName, typed),
      make(
        "div",
        { class: "actions" },
        button("Cancel", () => close(false)),
        start,
      ),
    );
    queueMicrotask(() => (subject || event ? typed : about).focus());
    return form;
  });
}

// Say how many events are about a person. Resolves to whether there are any.
async function tellHowMany(context, subject, place) {
  place.textContent = "";
  if (!subject) return false;
  const answer = await attempt(() => context.server.post("history", { subject, limit: MOST_COUNTED }));
  if (!answer) return false;
  const { length } = answer.events;
  const more = length === MOST_COUNTED ? "at least " : "";
  place.textContent = length
    ? `The ledger has ${more}${count(length, "event")} about this person: texts, and what was done with them.`
    : "No event is about this person. The name must be exactly the same. If the texts came without a column of persons " +
      "(tercet train --subject-column), they can be erased one by one: open them in the list below.";
  return length > 0;
}

function listNames(input) {
  return input.value
    .split("\n")
    .map((name) => name.trim())
    .filter(Boolean);
}

// The texts of other people that mention the person; null if there is nothing to look for.
function findMentions(context, subject, names) {
  if (!names.length && !/\p{Letter}/u.test(subject)) return null;
  return attempt(() => context.server.post("mentions", { subject, names, limit: MOST_LISTED }));
}

// A list to decide about: each text has a box, which erases it, too.
function showMentions(mentions) {
  if (!mentions) return [];
  if (!mentions.total) return [make("p", { role: "status" }, "No text of other people mentions these names.")];
  const more = mentions.total - mentions.texts.length;
  const words = `${describeMentions(mentions.total)} the person, and will stay. Choose those that shall be erased, too:`;
  return [
    make("p", { role: "status" }, words),
    make(
      "ul",
      { class: "mentions", tabindex: "0", "aria-label": "Texts of other people" },
      mentions.texts.map(({ event, text, subject }) =>
        make(
          "li",
          {},
          make(
            "label",
            { class: "check" },
            make("input", { type: "checkbox", value: String(event) }),
            make(
              "span",
              {},
              showText(text, MOST_SHOWN),
              make("span", { class: "quiet" }, ` event ${event}`, subject && ", about ", subject && make("bdi", {}, subject)),
            ),
          ),
        ),
      ),
    ),
    more > 0 && make("p", { class: "quiet" }, `${more} more: tercet ledger mentions lists all.`),
  ].filter(Boolean);
}

function listChosen(place) {
  return [...place.querySelectorAll("input:checked")].map((box) => Number(box.value));
}

// Erase, and then the chosen texts of other people: they have a certificate of their own.
async function run(context, message, others) {
  const answers = [await context.server.post("erase", message)];
  if (others.length) answers.push(await context.server.post("erase", { events: others }));
  answers.forEach((answer) => keep(context, answer));
  const [answer] = answers;
  const documents = answers.reduce((total, each) => total + each.documents, 0);
  const words = [`${count(documents, "document")} erased.`, describeCertificates(answers)];
  tell(
    [...words, ...describeRest(answers, others.length)].join(" "),
    ["Save the certificate again", () => attempt(() => saveAgain(context, answer))],
  );
}

function keep(context, answer) {
  context.changed(answer);
  const [number] = answer.events;
  if (answer.certificate) save(context, answer.certificate, number);
  else waitForCertificate(context, number);
}

function saveAgain(context, answer) {
  const [number] = answer.events;
  return answer.certificate && !answer.unconfirmed.length
    ? save(context, answer.certificate, number)
    : fetchCertificate(context, number);
}

function describeCertificates(answers) {
  if (answers.some((each) => !each.certificate)) {
    return "The certificate comes when nobody reads the old pages of the database any more.";
  }
  return answers.length > 1 ? "The certificates are saved." : "The certificate is saved.";
}

// Who has not confirmed the erasure, and how many texts mention the person still.
function describeRest(answers, chosen) {
  const late = [...new Set(answers.flatMap((each) => each.unconfirmed))];
  const left = Math.max(0, (answers[0].mentions ?? 0) - chosen);
  return [
    late.length && `${late.join(", ")} did not confirm in time, and may still have the texts: the certificate says so.`,
    left && `${describeMentions(left)} the person, and ${left === 1 ? "stays" : "stay"}.`,
  ].filter(Boolean);
}

function describeMentions(n) {
  return n === 1 ? "1 text of other people mentions" : `${n} texts of other people mention`;
}

async function waitForCertificate(context, number) {
  for (let i = 0; i < TRIES; i += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, WAIT_MS);
    });
    try {
      await fetchCertificate(context, number);
      tell("The certificate is ready and saved.");
      return;
    } catch (problem) {
      if (problem.status !== 409 && problem.status !== 503) break;
    }
  }
  tell("The certificate is not ready yet: the erase event of the history has a button for it.");
}

export async function fetchCertificate(context, number) {
  const { certificate } = await context.server.get(`certificates/${number}`);
  save(context, certificate, number);
}

function save(context, certificate, number) {
  download(`certificate-${context.facts.model}-${number}.json`, JSON.stringify(certificate, null, 2), "application/json");
}

// Check a certificate that somebody has kept.
export function checkCertificate(context) {
  return openDialog("Check a certificate", (close) => {
    const file = make("input", { type: "file", accept: ".json,application/json", required: true });
    const subject = make("input", { type: "text", autocomplete: "off" });
    const result = make("div", { role: "status" });
    return make(
      "form",
      {
        class: "stack",
        onsubmit: async (event) => {
          event.preventDefault();
          result.replaceChildren(...(await check(context, file.files[0], subject.value.trim())));
        },
      },
      make("p", {}, "The server compares the certificate with its own hashes and with the ledger."),
      field("Certificate", file),
      field("Whom is it about? (may be empty)", subject),
      result,
      make(
        "div",
        { class: "actions" },
        button("Close", () => close(null)),
        make("button", { type: "submit", class: "main" }, "Check"),
      ),
    );
  });
}

function describe({ events: [erasure] }) {
  const when = new Date(erasure.time).toLocaleString();
  return `event ${erasure.number} has erased ${count(erasure.content.documents, "document")} for ever (${when}).`;
}

async function check(context, file, subject) {
  try {
    const message = { certificate: JSON.parse(await file.text()), model: context.facts.model };
    if (subject) message.subject = subject;
    const { faults, notes } = await ask("POST", "api/certificates/check", message);
    const restrictions = notes.map((note) => make("p", {}, `But ${note}.`));
    const isTrue = make("p", { class: "good" }, `✓ It is true: ${describe(message.certificate)}`);
    if (!faults.length) return [isTrue, ...restrictions];
    return [
      make("p", { class: "bad" }, "✗ Not confirmed:"),
      make(
        "ul",
        {},
        faults.map((fault) => make("li", {}, fault)),
      ),
    ];
  } catch (problem) {
    return [
      make(
        "p",
        { class: "bad" },
        problem.code === undefined ? "This file is no JSON: choose the file that the server has saved." : problem.message,
      ),
    ];
  }
}
