import { readTree } from './read-tree.ts';
import type { BlockNode, BlockOr, MemberNode, TemplateTree, ValueNode, ViewPath } from './template-node.ts';

/** A template by its name, as its folder has it. */
export interface NamedTemplate {
  readonly name: string;
  readonly text: string;
}

/**
 * The text of a module with one function a template: from a view to the JSON that Handlebars would write and JSON.parse
 * would read, without the text between them. What no view decides is one constant. Throws as `readTree`.
 */
export function writeModule(main: readonly NamedTemplate[], partials: readonly NamedTemplate[]): string {
  const trees = new Map(partials.map(({ name, text }) => [name, readTree(name, text)]));
  const writer = new ModuleWriter(trees);
  for (const [name, tree] of trees) if (!writer.isConstant(tree)) writer.addFunction(partialName(name), tree, name);
  for (const { name, text } of main) writer.addFunction(name, readTree(name, text), name);
  return [
    "import { isFilled } from '../compiler/render/placing.ts';",
    ...writer.constants.map((text, i) => `const constant${i} = ${text};`),
    ...writer.functions,
    `export const mainTemplates = { ${main.map(({ name }) => name).join(', ')} };`,
  ].join('\n');
}

class ModuleWriter {
  readonly constants: string[] = [];
  readonly functions: string[] = [];
  readonly #partials: ReadonlyMap<string, TemplateTree>;
  #variables = 0;
  #template = '';

  constructor(partials: ReadonlyMap<string, TemplateTree>) {
    this.#partials = partials;
  }

  addFunction(name: string, tree: TemplateTree, template: string): void {
    this.#variables = 0;
    this.#template = template;
    const body: string[] = [];
    const result = tree.kind === 'choices' ? this.#choices(tree.choices, body) : this.#value(tree, 'view', body);
    this.functions.push(`function ${name}(view, at) {\n${body.join('\n')}\nreturn ${result};\n}`);
  }

  isConstant(node: TemplateTree | BlockOr<MemberNode>): boolean {
    switch (node.kind) {
      case 'constant':
        return true;
      case 'object':
        return node.members.every((member) => this.isConstant(member));
      case 'member':
        return typeof node.key === 'string' && this.isConstant(node.value);
      case 'list':
        return node.elements.every((element) => element.kind !== 'block' && this.isConstant(element));
      case 'partial':
        return this.isConstant(this.#partial(node.name));
      default:
        return false;
    }
  }

  /** Adds the statements that make the node's value, and gives the expression that is the value. */
  #value(node: ValueNode, view: string, body: string[]): string {
    if (node.kind === 'place') return `at.value(${access(view, node.path)}, "${this.#template} ${node.line}")`;
    if (this.isConstant(node)) return this.#constant(this.#plain(node));
    if (node.kind === 'partial') return `at.part(${partialName(node.name)}, ${access(view, node.context)})`;
    if (node.kind === 'object') {
      const object = this.#variable(body, '{}');
      for (const member of node.members) this.#member(member, object, view, body);
      return object;
    }
    const list = this.#variable(body, '[]');
    if (node.kind === 'list') for (const element of node.elements) this.#element(element, list, view, body);
    return list;
  }

  #member(member: BlockOr<MemberNode>, object: string, view: string, body: string[]): void {
    if (member.kind === 'block') {
      this.#block(member, view, body, (inner, context) => this.#member(inner, object, context, body));
      return;
    }
    const key = this.#key(member.key, view, body);
    const value = this.#inside(key, member.value, view, body);
    body.push(`${object}[${key}] = ${value};`);
  }

  #key(key: MemberNode['key'], view: string, body: string[]): string {
    if (typeof key === 'string') return JSON.stringify(key);
    return this.#variable(body, `at.key(${access(view, key.path)}, "${this.#template} ${key.line}")`);
  }

  #element(element: BlockOr<ValueNode>, list: string, view: string, body: string[]): void {
    if (element.kind === 'block') {
      this.#block(element, view, body, (inner, context) => this.#element(inner, list, context, body));
    } else body.push(`${list}.push(${this.#inside(`${list}.length`, element, view, body)});`);
  }

  /** Origins are told by path, so what may have some is built below its key. */
  #inside(key: string, node: ValueNode, view: string, body: string[]): string {
    if (node.kind === 'place' || this.isConstant(node)) return this.#value(node, view, body);
    body.push(`at.enter(${key});`);
    const made = this.#value(node, view, body);
    const value = node.kind === 'partial' ? this.#variable(body, made) : made;
    body.push('at.leave();');
    return value;
  }

  #block<Node>(
    { block, path, body: inner }: BlockNode<Node>,
    view: string,
    body: string[],
    add: (node: BlockOr<Node>, view: string) => void,
  ): void {
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

  #choices(choices: readonly BlockOr<ValueNode>[], body: string[]): string {
    const add = (node: BlockOr<ValueNode>, view: string): void => {
      if (node.kind === 'block') this.#block(node, view, body, add);
      else body.push(`return ${this.#value(node, view, body)};`);
    };
    for (const choice of choices) add(choice, 'view');
    return `at.value(undefined, "${this.#template}")`;
  }

  #variable(body: string[], value: string): string {
    const name = `made${this.#variables++}`;
    body.push(`const ${name} = ${value};`);
    return name;
  }

  #constant(value: unknown): string {
    const text = JSON.stringify(value);
    if (typeof value !== 'object') return text;
    const known = this.constants.indexOf(text);
    return `constant${known === -1 ? this.constants.push(text) - 1 : known}`;
  }

  /** The value of a node that is constant. */
  #plain(node: TemplateTree | BlockOr<ValueNode>): unknown {
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'object':
        return Object.fromEntries(
          node.members.flatMap((member) => (member.kind === 'member' ? [[member.key, this.#plain(member.value)]] : [])),
        );
      case 'list':
        return node.elements.map((element) => this.#plain(element));
      case 'partial':
        return this.#plain(this.#partial(node.name));
      default:
        throw new Error(`template ${this.#template}: what is no constant was taken for one`);
    }
  }

  #partial(name: string): TemplateTree {
    const tree = this.#partials.get(name);
    if (tree === undefined)
      throw new Error(`template ${this.#template} uses the partial ${name}, which does not exist`);
    return tree;
  }
}

/** As Handlebars looks fields up: what is absent has no fields. */
function access(view: string, [first, ...rest]: ViewPath): string {
  return first === undefined ? view : `${view}.${first}${rest.map((field) => `?.${field}`).join('')}`;
}

function partialName(name: string): string {
  return `partial_${name.replaceAll('-', '_')}`;
}
