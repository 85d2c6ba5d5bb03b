// Classify: paste a text, see the label and why, and correct it with one key.

import { Choices } from "./choices.js";
import { DocumentForm } from "./document_form.js";
import { prompt } from "./dialogs.js";
import { field, make, percent, select, showLabel } from "./elements.js";
import { Evidence } from "./evidence.js";
import { ModelInterface } from "./api.js";
import { isField } from "./keys.js";
import { complain } from "./messages.js";

const WAIT_MS = 150; // after a key, before the server is asked
const MOST_EXPLAINED = 100000; // characters

export const open = (context) => new ClassifyView(context);

let kept = null; // the document that was there when the view was left, for any model with the same columns

class ClassifyView {
  constructor(context) {
    this.context = context;
    this.form = new DocumentForm(
      context,
      () => this.askSoon(),
      () => this.forgetPerson(),
    );
    this.answers = [new ModelAnswer(this, context, context.canTeach)];
    this.panels = make("div", { class: "answers" });
    this.element = make(
      "div",
      { class: "classify" },
      this.form.element,
      this.panels,
      make("div", { class: "classify-tools" }, this.makeTools()),
    );
    this.first = this.form.first;
    this.keys = [
      ...this.answers[0].choices.keys,
      { keys: ["/"], words: "Write a text", act: () => this.form.first.focus() },
      { keys: ["o"], words: "Open a file", act: () => this.form.picker.click() },
      { keys: ["e"], words: "Go to the coloured words", act: () => this.answers[0].evidence.words?.[0]?.focus() },
      ...(context.canTeach ? [{ keys: ["n"], words: "Add a note to the next correction", act: () => this.askForNote() }] : []),
      {
        keys: ["x"],
        words: "Clear the text",
        act: () => {
          this.form.clear();
          this.form.first.focus();
        },
      },
    ];
    this.showPanels();
    this.takePastes();
    this.form.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.answers[0].title.focus();
      }
    });
  }

  start() {
    if (kept?.columns === `${this.form.facts.columns}`) this.form.set(kept.document.text ?? "", kept.document.columns);
    kept = null;
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("paste", this.paste);
    const document_ = this.form.value;
    kept = document_ && { columns: `${this.form.facts.columns}`, document: document_ };
  }

  news(name) {
    if (name === "facts") for (const answer of this.answers) answer.refresh();
  }

  // A second model, the person whom the text is about, and a note.
  makeTools() {
    const { context } = this;
    const others = context.models.filter(
      (each) => each.model !== context.facts.model && `${each.columns}` === `${context.facts.columns}`,
    );
    this.subject = make("input", { type: "text", maxlength: "500", autocomplete: "off" });
    this.note = make("input", { type: "text", maxlength: "2000", autocomplete: "off" });
    return [
      others.length > 0 &&
        make(
          "div",
          { class: "card compact" },
          field(
            "Compare with",
            select([["", "no other model"], ...others.map((each) => [each.model, each.model])], "", (name) =>
              this.compare(name),
            ),
          ),
        ),
      context.canTeach &&
        make(
          "details",
          { class: "card compact" },
          make("summary", {}, "Person and note"),
          make(
            "div",
            { class: "stack" },
            field(
              "Whom is the text about?",
              this.subject,
              "With a name or a customer number, all texts about a person can be erased later.",
            ),
            field("Note", this.note, "Stays in the history, beside your correction."),
          ),
        ),
    ];
  }

  // The next text may be about somebody else.
  forgetPerson() {
    this.subject.value = "";
    this.note.value = "";
  }

  async askForNote() {
    const written = await prompt("Note", "It stays in the history, beside your next correction.", "Keep", this.note.value);
    if (written !== null) this.note.value = written;
  }

  compare(name) {
    const other = this.context.models.find((each) => each.model === name);
    this.answers = this.answers.slice(0, 1);
    if (other) {
      const second = { ...this.context, labels: other.labels, facts: other, server: new ModelInterface(other.model) };
      this.answers.push(new ModelAnswer(this, second, false));
    }
    this.showPanels();
    this.ask();
  }

  showPanels() {
    this.element.classList.toggle("has-two", this.answers.length > 1);
    this.panels.replaceChildren(...this.answers.map((answer) => answer.element));
  }

  // Somebody who pastes means the text field, wherever the focus is.
  takePastes() {
    this.paste = (event) => {
      if (isField(event.target) || document.querySelector("dialog[open]")) return;
      const { files } = event.clipboardData;
      const text = event.clipboardData.getData("text/plain");
      if (files.length) this.form.read(files[0]);
      else if (text) this.form.set(text);
    };
    document.addEventListener("paste", this.paste);
  }

  askSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), WAIT_MS);
  }

  ask() {
    const value = this.form.value;
    for (const answer of this.answers) answer.ask(value);
  }

  async teach(label, isNew, proposal) {
    const document_ = this.form.value;
    if (!document_) return;
    const { context } = this;
    await context.change(async () => {
      const message = { ...document_, label, new_labels: isNew };
      if (proposal) message.proposal = { label: proposal.label, probability: proposal.probability, event: proposal.event };
      if (this.subject.value.trim()) message.subject = this.subject.value.trim();
      if (this.note.value.trim()) message.note = this.note.value.trim();
      const answer = await context.server.post("correct", message);
      this.note.value = "";
      this.taught = answer.events.at(-1);
      const isRight = proposal?.label === label;
      context.note(
        answer,
        `${isRight ? "Confirmed" : "Corrected"}: it is “${label}”. Learned as event ${answer.events.at(-1)}.`,
        () => this.ask(),
      );
      this.ask();
    });
  }
}

// What one model says.
class ModelAnswer {
  constructor(classify, context, canTeach) {
    this.classify = classify;
    this.context = context;
    this.canTeach = canTeach;
    this.asked = null; // the request that is under way
    this.pair = null; // the two labels to explain, if somebody has chosen them
    this.proposal = null;
    this.choices = new Choices(context, canTeach ? (label, isNew) => classify.teach(label, isNew, this.proposal) : null);
    this.evidence = new Evidence(context, (label, against) => {
      this.pair = { label, against };
      this.ask(this.document);
    });
    this.title = make("h2", { tabindex: "-1", class: "answer-title", "aria-live": "polite" });
    this.state = make("p", { class: "quiet" });
    this.answer = make(
      "section",
      { class: "card answer", "aria-label": `Answer of ${context.facts.model}` },
      this.title,
      this.state,
      this.choices.element,
    );
    this.element = make("div", { class: "model-answer" }, this.answer, this.evidence.element);
    this.ask(null);
  }

  async ask(value) {
    this.asked?.abort();
    if (JSON.stringify(value) !== JSON.stringify(this.document)) this.pair = null;
    this.document = value;
    if (!value) {
      this.showNothing();
      return;
    }
    const { server } = this.context;
    const asked = (this.asked = new AbortController());
    this.answer.setAttribute("aria-busy", "true");
    const size = value.text?.length ?? JSON.stringify(value).length;
    const classify = server.post("classify", { documents: [value], top: 0 }, asked).then((answer) => this.show(answer));
    const explain =
      size > MOST_EXPLAINED
        ? Promise.resolve(this.evidence.clear())
        : server
            .post("explain", { ...value, ...this.pair, arithmetic: true }, asked)
            .then((answer) => this.evidence.show(answer));
    try {
      await Promise.all([classify, explain]);
    } catch (problem) {
      if (asked === this.asked) {
        this.showFailure();
        complain(problem);
      }
    } finally {
      if (asked === this.asked) this.answer.removeAttribute("aria-busy");
    }
  }

  show(answer) {
    const [best] = answer.answers;
    this.proposal = { ...best, event: answer.event };
    this.title.replaceChildren(
      this.nameModel(),
      showLabel(best.label, this.context.labels),
      make("span", { class: "answer-number" }, percent(best.probability)),
    );
    this.trainedTo = answer.trained_to;
    this.state.textContent = describeState(answer, this.context.facts.can_train && this.classify.taught);
    this.choices.show(this.proposal);
  }

  nameModel() {
    return this.classify.answers?.length > 1
      ? make("span", { class: "answer-model" }, make("bdi", {}, this.context.facts.model), ": ")
      : "";
  }

  showNothing() {
    this.proposal = null;
    const { missing, hasText } = this.classify.form;
    const isIncomplete = hasText && missing.length > 0;
    this.title.replaceChildren(this.nameModel(), isIncomplete ? "Not complete yet" : "No text yet");
    this.state.textContent = isIncomplete
      ? `The model also reads a number in ${missing.map((name) => `“${name}”`).join(" and ")}: write it for an answer.`
      : this.describeNothing();
    this.choices.show(null);
    this.evidence.clear();
  }

  showFailure() {
    this.proposal = null;
    this.title.replaceChildren(this.nameModel(), "No answer");
    this.state.textContent = "The server has not answered this text. It is asked again when the text changes.";
    this.choices.show(null);
    this.evidence.clear();
  }

  describeNothing() {
    if (this.context.facts.labels.length === 0)
      return "The model has learned nothing yet: give texts with labels on the Label view, or correct one here.";
    const words = "The answer comes while you type.";
    return this.canTeach
      ? `${words} Then press Esc to leave the text, and 1 to 9 if the label is wrong, or Enter if it is right.`
      : words;
  }

  // After a training the answer may be another one.
  refresh() {
    if (this.proposal && this.context.facts.trained_to === this.trainedTo) this.choices.fill();
    else this.ask(this.document);
  }
}

// `taught` is the last event that this person has taught here, if the model is trained by itself.
function describeState({ is_trained: isTrained, trained_to: trainedTo }, taught) {
  if (!isTrained) return "The counts answer alone until the next training is done.";
  if (trainedTo === null) return "Probability from the counts of everything that was learned.";
  return taught && taught > trainedTo
    ? "What you have taught is in the ledger. The model is trained with it soon; then the answer is shown anew."
    : "Calibrated probability, trained on everything that was learned.";
}
