import { templateTree } from './tree.mjs';

/**
 * A module with one function a template: from a view to the JSON that Handlebars would write and JSON.parse would read,
 * without the text between them. What no view decides is one constant.
 */
export function templateCode(main, partials) {
  const trees = new Map(partials.map(({ name, text }) => [name, templateTree(name, text)]));
  const writer = new Writer(trees);
  for (const [name, tree] of trees) if (!writer.isConstant(tree)) writer.addFunction(partialName(name), tree, name);
  for (const { name, text } of main) writer.addFunction(name, templateTree(name, text), name);
  return [
    "import { isFilled } from '../compiler/render/placing.ts';",
    ...writer.constants.map((text, i) => `const constant${i} = ${text};`),
    ...writer.functions,
    `export const mainTemplates = { ${main.map(({ name }) => name).join(', ')} };`,
  ].join('\n');
}

class Writer {
  constants = [];
  functions = [];
  #partials;
  #variables = 0;
  #template = '';

  constructor(partials) {
    this.#partials = partials;
  }

  addFunction(name, tree, template) {
    this.#variables = 0;
    this.#template = template;
    const body = [];
    const result = tree.choices === undefined ? this.#value(tree, 'view', body) : this.#choices(tree, body);
    this.functions.push(`function ${name}(view, at) {\n${body.join('\n')}\nreturn ${result};\n}`);
  }

  isConstant(node) {
    if (node.members) {
      return node.members.every(({ key, value }) => typeof key === 'string' && this.isConstant(value));
    }
    if (node.elements) return node.elements.every((item) => item.block === undefined && this.isConstant(item));
    if (node.partial !== undefined) return this.isConstant(this.#partials.get(node.partial));
    return 'constant' in node;
  }

  /** Adds the statements that make the node's value, and gives the expression that is the value. */
  #value(node, view, body) {
    if (this.isConstant(node)) return this.#constant(this.#plain(node));
    if (node.place) return `at.value(${access(view, node.place)}, "${this.#template} ${node.line}")`;
    if (node.partial) return `${partialName(node.partial)}(${access(view, node.context)}, at)`;
    if (node.members) {
      const object = this.#variable(body, '{}');
      for (const member of node.members) this.#member(member, object, view, body);
      return object;
    }
    const list = this.#variable(body, '[]');
    for (const element of node.elements) this.#element(element, list, view, body);
    return list;
  }

  #member(member, object, view, body) {
    if (member.block !== undefined) {
      this.#block(member, view, body, (inner, context) => this.#member(inner, object, context, body));
      return;
    }
    const key = this.#key(member.key, view, body);
    const value = this.#inside(key, member.value, view, body);
    body.push(`${object}[${key}] = ${value};`);
  }

  #key(key, view, body) {
    if (typeof key === 'string') return JSON.stringify(key);
    return this.#variable(body, `at.key(${access(view, key.place)}, "${this.#template} ${key.line}")`);
  }

  #element(element, list, view, body) {
    if (element.block === undefined) {
      body.push(`${list}.push(${this.#inside(`${list}.length`, element, view, body)});`);
    } else this.#block(element, view, body, (inner, context) => this.#element(inner, list, context, body));
  }

  /** Origins are told by path, so what may have some is built below its key. */
  #inside(key, node, view, body) {
    if (node.place || this.isConstant(node)) return this.#value(node, view, body);
    body.push(`at.enter(${key});`);
    const made = this.#value(node, view, body);
    const value = node.partial === undefined ? made : this.#variable(body, made);
    body.push('at.leave();');
    return value;
  }

  #block({ block, path, body: inner }, view, body, add) {
    if (block === 'each') {
      const item = `item${this.#variables++}`;
      body.push(`for (const ${item} of ${access(view, path)} ?? []) {`);
      for (const node of inner) add(node, item);
    } else {
      body.push(`if (${block === 'unless' ? '!' : ''}isFilled(${access(view, path)})) {`);
      for (const node of inner) add(node, view);
    }
    body.push('}');
  }

  #choices({ choices }, body) {
    for (const choice of choices) {
      this.#block(choice, 'view', body, (node, view) => body.push(`return ${this.#value(node, view, body)};`));
    }
    return `at.value(undefined, "${this.#template}")`;
  }

  #variable(body, value) {
    const name = `made${this.#variables++}`;
    body.push(`const ${name} = ${value};`);
    return name;
  }

  #constant(value) {
    const text = JSON.stringify(value);
    if (typeof value !== 'object') return text;
    const known = this.constants.indexOf(text);
    return `constant${known === -1 ? this.constants.push(text) - 1 : known}`;
  }

  #plain(node) {
    if (node.members) return Object.fromEntries(node.members.map(({ key, value }) => [key, this.#plain(value)]));
    if (node.elements) return node.elements.map((item) => this.#plain(item));
    return node.partial === undefined ? node.constant : this.#plain(this.#partials.get(node.partial));
  }
}

/** As Handlebars looks fields up: what is absent has no fields. */
function access(view, [first, ...rest]) {
  return first === undefined ? view : `${view}.${first}${rest.map((field) => `?.${field}`).join('')}`;
}

function partialName(name) {
  return `partial_${name.replaceAll('-', '_')}`;
}
