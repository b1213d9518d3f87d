import { readTree } from './read-tree.ts';
import type { BlockNode, BlockOr, MemberNode, TemplateTree, ValueNode, ViewPath } from './template-node.ts';
import type { NamedTemplate } from './write-module.ts';

/** The names that the built-in templates read of one object of a view, or of each item of a list. */
export interface ViewShape {
  /** The value is placed whole, so that what it holds is not known here. */
  isOpen?: true;
  readonly fields: Record<string, ViewShape>;
  /** Of each item, where it is a list. */
  items?: ViewShape;
}

/** Names of the views of main templates, and of the views that the built-in templates give to partials. */
export interface ViewShapes {
  readonly main: Readonly<Record<string, ViewShape>>;
  readonly partials: Readonly<Record<string, ViewShape>>;
}

/** What the templates read of their views. Throws as `readTree`. */
export function viewShapes(main: readonly NamedTemplate[], partials: readonly NamedTemplate[]): ViewShapes {
  const reader = new ShapeReader(new Map(partials.map(({ name, text }) => [name, readTree(name, text)])));
  return {
    main: Object.fromEntries(main.map(({ name, text }) => [name, reader.read(readTree(name, text), emptyShape())])),
    partials: Object.fromEntries(reader.views),
  };
}

class ShapeReader {
  /** By name of the partial: all views that it is given, as one. */
  readonly views: Map<string, ViewShape>;
  readonly #partials: ReadonlyMap<string, TemplateTree>;

  constructor(partials: ReadonlyMap<string, TemplateTree>) {
    this.#partials = partials;
    this.views = new Map([...partials.keys()].map((name) => [name, emptyShape()]));
  }

  /** Adds to `shape` what the template reads of it. */
  read(tree: TemplateTree, shape: ViewShape): ViewShape {
    if (tree.kind === 'choices') this.#list(tree.choices, shape);
    else this.#node(tree, shape);
    return shape;
  }

  #list(nodes: readonly BlockOr<ValueNode | MemberNode>[], shape: ViewShape): void {
    for (const node of nodes) this.#node(node, shape);
  }

  #node(node: BlockOr<ValueNode | MemberNode>, shape: ViewShape): void {
    if (node.kind === 'place') shapeAt(shape, node.path).isOpen = true;
    else if (node.kind === 'partial') this.#partial(node.name, shapeAt(shape, node.context));
    else if (node.kind === 'object') this.#list(node.members, shape);
    else if (node.kind === 'list') this.#list(node.elements, shape);
    else if (node.kind === 'block') this.#block(node, shape);
    else if (node.kind === 'member') {
      if (typeof node.key !== 'string') this.#node(node.key, shape);
      this.#node(node.value, shape);
    }
  }

  #block({ block, path, body }: BlockNode<ValueNode | MemberNode>, shape: ViewShape): void {
    const at = shapeAt(shape, path);
    if (block === 'each') at.items ??= emptyShape();
    this.#list(body, block === 'each' ? (at.items ?? at) : shape);
  }

  #partial(name: string, view: ViewShape): void {
    const tree = this.#partials.get(name);
    if (tree === undefined) throw new Error(`the partial ${name} does not exist`);
    this.read(tree, view);
    const all = this.views.get(name);
    if (all !== undefined) addShape(all, view);
  }
}

function emptyShape(): ViewShape {
  return { fields: {} };
}

function shapeAt(shape: ViewShape, path: ViewPath): ViewShape {
  let at = shape;
  for (const name of path) {
    at.fields[name] ??= emptyShape();
    at = at.fields[name];
  }
  return at;
}

function addShape(to: ViewShape, from: ViewShape): void {
  if (from.isOpen) to.isOpen = true;
  for (const [name, shape] of Object.entries(from.fields)) {
    to.fields[name] ??= emptyShape();
    addShape(to.fields[name], shape);
  }
  if (from.items === undefined) return;
  to.items ??= emptyShape();
  addShape(to.items, from.items);
}
