// What every view knows: who is there, which model is chosen, and what this person has done last.

import { confirm } from "./dialogs.js";
import { attempt, tell } from "./messages.js";

const NOTHING = { labels: [], can_learn: false, can_train: false }; // the facts while the server has no model
const ROLES = ["reader", "teacher", "admin"];
const STEPS = ["learn", "judge", "relabel", "unlearn", "check"];

export class Context {
  constructor(session, models, canBegin) {
    this.session = session;
    this.models = models;
    this.canBegin = canBegin; // whether the server can make new models
    this.facts = models[0] ?? NOTHING;
    this.server = null;
    this.steps = []; // changes of this person on this page, the last one at the end
    this.turn = Promise.resolve(); // when the last change is done
    this.changed = () => {};
  }

  get labels() {
    return this.facts.labels;
  }

  may(role) {
    return ROLES.indexOf(this.session.role) >= ROLES.indexOf(role);
  }

  get canTeach() {
    return this.may("teacher") && this.facts.can_learn;
  }

  // Remember a change, and say it unless it is quiet. `undone` is called if it is undone.
  note(answer, words, undone = () => {}, { isQuiet = false } = {}) {
    // The undo of a judgment takes along what followed from it. An offer stays.
    const event = answer.events.find((number) => number !== answer.offer);
    const step = { server: this.server, event, words, undone };
    this.steps.push(step);
    this.changed(answer);
    if (!isQuiet) tell(words, ["Undo (u)", () => this.undo(step)]);
  }

  // Make a change after all changes before it: whoever presses a label and then u quickly means this label.
  change(act) {
    this.turn = this.turn.then(() => attempt(act));
    return this.turn;
  }

  undo(step) {
    return this.change(() => this.undoNow(step));
  }

  async undoNow(step) {
    this.steps = this.steps.filter((each) => each !== step);
    const answer = await step.server.post("undo", { event: step.event });
    if (step.server === this.server) this.changed(answer);
    step.undone();
    tell(`Undone: ${step.words}`, ["Do it again", () => this.undo({ ...step, event: answer.events[0], undone: () => {} })]);
  }

  // Undo the last step of this person: of this page, or else of the ledger, after a question.
  undoLast() {
    return this.change(async () => {
      if (!this.canTeach) return;
      const own = this.steps.filter((step) => step.server === this.server);
      const step = own.at(-1) ?? (await this.askForStep());
      if (step) await this.undoNow(step);
    });
  }

  async askForStep() {
    const { events } = await this.server.post("history", { actor: this.session.name, limit: 200 });
    const last = findLastStep(events);
    if (!last) {
      tell("There is nothing of yours to undo.");
      return null;
    }
    const isMeant = await confirm(
      "Undo an earlier step?",
      `Your last step is event ${last.number}: ${last.verb}.`,
      `Undo event ${last.number}`,
    );
    return isMeant ? { server: this.server, event: last.number, words: `event ${last.number}.`, undone: () => {} } : null;
  }
}

// The last step of a person that is in effect: a judgment, if a document was learned because of it.
function findLastStep(events) {
  const isStep = (event) => STEPS.includes(event.verb) && event.is_in_effect && event.content !== null;
  const last = events.find(isStep);
  const before = events.find((event) => event.number === last?.number - 1);
  return before?.verb === "judge" && isStep(before) ? before : last;
}
