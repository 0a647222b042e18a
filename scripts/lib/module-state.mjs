// What a module keeps, of which a copy of it would have another: where one file of the package remembers, the other would not know.
import { parseAst } from "vite";

/** Calls that give a new value from what they are given, and keep nothing. */
const pureCalls = /^(Object\.(freeze|fromEntries|entries|keys|values)|String\.raw|Symbol\.for|JSON\.stringify|RegExp)$/;
const pureMethods = /^(map|split|join|filter|flatMap|concat)$/;
/** What is filled when it is made, and never after. */
const tables = /^(Set|Map|RegExp)$/;
const changing = /^(add|set|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/;

/** What the module keeps, in words; nothing where each copy does the same as the other. `asked`: the classes that others may ask for. */
export function stateOf(code, asked) {
  const { body } = parseAst(code);
  const found = new Set();
  const constants = new Set();
  for (const statement of body) {
    const one = statement.declaration ?? statement;
    const text = code.slice(one.start, one.end).split("\n", 1)[0];
    if (one.type === "ExpressionStatement" ? !one.directive : one.type === "ClassExpression") found.add(text);
    if (one.type === "ClassDeclaration") {
      const keeps = one.body.body.some(
        (part) => part.type === "StaticBlock" || (part.static && part.type === "PropertyDefinition"),
      );
      if (keeps || asked.has(one.id?.name)) found.add(text);
    }
    for (const { id, init } of one.type === "VariableDeclaration" ? one.declarations : []) {
      if (one.kind !== "const" || !isConstant(init, code) || isEmpty(init)) found.add(text);
      else if (id.type === "Identifier" && /^(Object|Array|New)Expression$/.test(init.type)) constants.add(id.name);
    }
  }
  walk(body, (node) => {
    for (const name of changedBy(node)) if (constants.has(name)) found.add(code.slice(node.start, node.end).split("\n", 1)[0]);
    // What is private in one copy of a class is not in the other.
    const isOthers =
      node.type === "MemberExpression" && node.property.type === "PrivateIdentifier" && node.object.type !== "ThisExpression";
    const isIn = node.type === "BinaryExpression" && node.left.type === "PrivateIdentifier";
    if (isIn || (isOthers && node.object.type === "Identifier")) found.add(code.slice(node.start, node.end));
  });
  return [...found];
}

/** The names that stand right of `instanceof`. */
export function askedFor(code) {
  const names = [];
  walk(parseAst(code).body, ({ type, operator, right }) => {
    if (type === "BinaryExpression" && operator === "instanceof" && right.type === "Identifier") names.push(right.name);
  });
  return names;
}

/** The constants that a step sets something of, or compares: another copy has another one. */
function changedBy({ type, operator, left, right, argument, callee }) {
  const target =
    type === "AssignmentExpression" ? left : type === "UpdateExpression" || operator === "delete" ? argument : undefined;
  if (target?.type === "MemberExpression") return [rootOf(target)];
  if (type === "CallExpression" && callee.type === "MemberExpression" && changing.test(callee.property.name ?? ""))
    return [rootOf(callee)];
  return type === "BinaryExpression" && /^[!=]==?$/.test(operator) ? [left.name, right.name] : [];
}

/** The name that `a.b[c].d` begins with. */
const rootOf = (node) => (node.type === "MemberExpression" ? rootOf(node.object) : node.name);

/** It is there to be filled, or to be known again. */
const isEmpty = ({ type, elements, properties }) =>
  (type === "ArrayExpression" && elements.length === 0) || (type === "ObjectExpression" && properties.length === 0);

function isConstant(node, code) {
  const all = (nodes) => nodes.every((one) => one === null || isConstant(one, code));
  switch (node?.type) {
    case "Literal":
    case "Identifier":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return true;
    case "TemplateLiteral":
      return all(node.expressions);
    case "UnaryExpression":
    case "SpreadElement":
      return isConstant(node.argument, code);
    case "BinaryExpression":
    case "LogicalExpression":
      return all([node.left, node.right]);
    case "ConditionalExpression":
      return all([node.test, node.consequent, node.alternate]);
    case "MemberExpression":
      return isConstant(node.object, code);
    case "ArrayExpression":
      return all(node.elements);
    case "ObjectExpression":
      return all(node.properties.map((part) => (part.type === "Property" ? part.value : part)));
    case "NewExpression":
      return tables.test(node.callee.name) && node.arguments.length > 0 && all(node.arguments);
    case "CallExpression": {
      const { callee } = node;
      const isMethod =
        callee.type === "MemberExpression" && pureMethods.test(callee.property.name) && isConstant(callee.object, code);
      return (isMethod || pureCalls.test(code.slice(callee.start, callee.end))) && all(node.arguments);
    }
    default:
      return false;
  }
}

/** Shows each node of a syntax tree. */
export function walk(node, visit) {
  if (typeof node?.type === "string") visit(node);
  for (const value of Object.values(node ?? {})) if (value && typeof value === "object") walk(value, visit);
}
