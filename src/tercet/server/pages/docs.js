// The interface for programs, as openapi.json describes it.

import { make, table } from "./elements.js";

const document_ = await (await fetch("openapi.json")).json();
const schemas = document_.components.schemas;

function nameType(schema) {
  if (schema === undefined) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(nameType).join(" or ");
  if (schema.type === "array") return `list of ${nameType(schema.items)}`;
  if (schema.type === "object" && schema.additionalProperties) return `object of ${nameType(schema.additionalProperties)}`;
  return schema.type ?? "anything";
}

function showFields(name) {
  const schema = schemas[name];
  const rows = Object.entries(schema.properties ?? {}).map(([field, type]) => {
    const needed = (schema.required ?? []).includes(field) ? "needed" : `default ${JSON.stringify(type.default)}`;
    return [make("code", {}, field), nameType(type), make("span", { class: "quiet" }, needed)];
  });
  return [make("p", {}, schema.description ?? ""), table(`Fields of ${name}`, ["field", "type", "default"], rows)];
}

// The messages that a message contains, too.
function listNames(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const inside = JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g);
  for (const [, other] of inside) listNames(other, found);
  return found;
}

function showMessage(title, content) {
  const reference = content?.["application/json"]?.schema?.$ref;
  if (!reference) return [];
  const names = [...listNames(reference.split("/").pop())];
  return names.flatMap((name, place) => [
    make("h3", {}, place === 0 ? `${title}: ` : "", make("code", {}, name)),
    ...showFields(name),
  ]);
}

function showOperation(path, method, operation) {
  const head = [make("span", { class: "method" }, method.toUpperCase()), make("code", {}, path), ` ${operation.summary}`];
  const answer = Object.entries(operation.responses).find(([status]) => status !== "default")[1];
  const body = [
    make("p", {}, operation.description),
    ...showMessage("Request", operation.requestBody?.content),
    ...showMessage("Answer", answer.content),
  ];
  return make("details", {}, make("summary", {}, head), make("div", {}, body));
}

const operations = Object.entries(document_.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => showOperation(path, method, operation)),
);
document.getElementById("operations").replaceChildren(...operations);
document.getElementById("example").textContent = [
  "curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\",
  `  -d '{"text": "what a lovely film"}' \\`,
  `  ${new URL("api/models/MODEL/classify", location)}`,
].join("\n");
