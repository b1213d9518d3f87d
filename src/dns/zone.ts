import { nameFor, type Viewer, type ZoneName } from './zone-name.ts';

/** What a viewer's question meets. */
export type Found =
  /** The mesh says nothing of such names: somebody else may. */
  | { readonly type: 'foreign' }
  /** The mesh alone could have it, and has not. `origin` is the number of labels, from the end, of the zone's name. */
  | { readonly type: 'missing'; readonly origin: number }
  /** It is there; `name` is undefined where only names below it have records. */
  | { readonly type: 'known'; readonly origin: number; readonly name: ZoneName | undefined };

interface Node {
  readonly children: Map<string, Node>;
  /** One a namespace and service. */
  readonly names: Map<string, ZoneName>;
  /** How many names, here and below, a namespace sees; of `all` those that everybody does. */
  readonly seen: Map<string, number>;
}

const everybody = '*';

/**
 * The names of a mesh as a tree. Below the suffixes of the mesh it alone has names, so that one that is not there is known not
 * to be; elsewhere it has only the names that a ServiceEntry gives it. Patterns match as in RFC 4592.
 */
export class Zone {
  readonly #suffixes: readonly (readonly string[])[];
  readonly #root = emptyNode();
  readonly #names = new Map<string, ZoneName>();

  constructor(suffixes: readonly string[]) {
    // The longest first: a suffix may be below another one.
    this.#suffixes = suffixes.map((suffix) => suffix.toLowerCase().split('.')).sort((a, b) => b.length - a.length);
  }

  get size(): number {
    return this.#names.size;
  }

  /** Puts the name in the place of the one that had the key; undefined takes it away. */
  set(key: string, name: ZoneName | undefined): void {
    const before = this.#names.get(key);
    if (before !== undefined) this.#remove(key, before);
    if (name === undefined) return;
    this.#names.set(key, name);
    let node = this.#root;
    for (const label of labelsFromEnd(name.name)) {
      let child = node.children.get(label);
      if (child === undefined) {
        child = emptyNode();
        node.children.set(label, child);
      }
      node = child;
      count(node, name, 1);
    }
    node.names.set(key, name);
  }

  /** Whether the mesh alone has names like this one. */
  owns(labels: readonly string[]): boolean {
    return this.#suffixes.some((suffix) => endsWith(labels, suffix));
  }

  /** Looks up a name by its labels in small letters, the first one first. */
  find(labels: readonly string[], viewer: Viewer): Found {
    const suffix = this.#suffixes.find((it) => endsWith(labels, it));
    let node = this.#root;
    let depth = 0;
    for (; depth < labels.length; depth++) {
      const child = node.children.get(labels[labels.length - 1 - depth] as string);
      if (child === undefined || !isSeen(child, viewer)) break;
      node = child;
    }
    const isExact = depth === labels.length;
    const pattern = isExact ? undefined : node.children.get('*');
    const met = isExact ? node : pattern && isSeen(pattern, viewer) ? pattern : undefined;
    const name = met && nameFor(viewer, [...met.names.values()]);
    if (suffix === undefined) return name === undefined ? foreign : { type: 'known', origin: depth, name };
    const origin = suffix.length;
    // A suffix is there without any name too.
    if (met === undefined && labels.length > origin) return { type: 'missing', origin };
    return { type: 'known', origin, name };
  }

  #remove(key: string, name: ZoneName): void {
    this.#names.delete(key);
    const path: (readonly [Node, string])[] = [];
    let node = this.#root;
    for (const label of labelsFromEnd(name.name)) {
      path.push([node, label]);
      node = node.children.get(label) as Node;
      count(node, name, -1);
    }
    node.names.delete(key);
    for (const [parent, label] of path.reverse()) {
      const child = parent.children.get(label);
      if (child?.names.size === 0 && child.children.size === 0) parent.children.delete(label);
    }
  }
}

const foreign: Found = { type: 'foreign' };

function emptyNode(): Node {
  return { children: new Map(), names: new Map(), seen: new Map() };
}

function isSeen({ seen }: Node, viewer: Viewer): boolean {
  return seen.has(everybody) || (viewer !== undefined && seen.has(viewer));
}

function count({ seen }: Node, { viewers }: ZoneName, change: 1 | -1): void {
  for (const viewer of viewers === 'all' ? [everybody] : viewers) {
    const now = (seen.get(viewer) ?? 0) + change;
    if (now === 0) seen.delete(viewer);
    else seen.set(viewer, now);
  }
}

function labelsFromEnd(name: string): string[] {
  return name.split('.').reverse();
}

function endsWith(labels: readonly string[], suffix: readonly string[]): boolean {
  const from = labels.length - suffix.length;
  return from >= 0 && suffix.every((label, n) => label === labels[from + n]);
}
