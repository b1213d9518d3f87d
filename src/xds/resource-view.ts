import { createHash } from 'node:crypto';
import { contentVersion, type DiscoveryResource } from './resource.ts';
import { emptyList, type ListChange, type ResourceList } from './resource-list.ts';

const noChange: ListChange = { changed: [], removed: [] };

/**
 * What one client may see of one type at one moment: lists that it has in common with others, and its own. A name
 * stands in one of them.
 */
export class ResourceView {
  readonly parts: readonly ResourceList[];
  #version: string | undefined;
  #digest: string | undefined;

  constructor(...parts: readonly ResourceList[]) {
    this.parts = parts;
  }

  get(name: string): DiscoveryResource | undefined {
    for (const part of this.parts) {
      const found = part.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  get size(): number {
    return this.parts.reduce((sum, { all }) => sum + all.length, 0);
  }

  /** Sorted by name. */
  get all(): readonly DiscoveryResource[] {
    let merged = emptyList.all;
    for (const { all } of this.parts) merged = mergedByName(merged, all);
    return merged;
  }

  /** Digest of the names and versions. */
  get version(): string {
    if (this.#version === undefined) {
      const [only = emptyList, ...others] = this.parts;
      this.#version = others.length === 0 ? only.version : contentVersion(...this.parts.map(({ version }) => version));
    }
    return this.#version;
  }

  /** SHA-256 of the names and versions, whatever the parts: equal for a client that has them, and for each replica. */
  get digest(): string {
    if (this.#digest === undefined) {
      const texts = this.all.map(({ name, version }) => `${name.length}:${name}${version.length}:${version}`);
      this.#digest = createHash('sha256').update(texts.join('')).digest('base64url');
    }
    return this.#digest;
  }

  /** What differs from the view `before`. What moved from one part to another with its version does not. */
  changesSince(before: ResourceView): ListChange {
    if (before === this) return noChange;
    const changes: ListChange[] = [];
    const count = Math.max(this.parts.length, before.parts.length);
    for (let i = 0; i < count; i++) {
      const from = before.parts[i] ?? emptyList;
      const to = this.parts[i] ?? emptyList;
      if (from !== to) changes.push(from.changesTo(to));
    }
    const isOther = ({ name, version }: DiscoveryResource): boolean => before.get(name)?.version !== version;
    const isGone = (name: string): boolean => this.get(name) === undefined;
    const [only = noChange, ...others] = changes;
    // Most often one part differs, and each of a thousand streams asks.
    if (others.length === 0 && only.changed.every(isOther) && only.removed.every(isGone)) return only;
    return {
      changed: changes.flatMap(({ changed }) => changed).filter(isOther),
      removed: changes.flatMap(({ removed }) => removed).filter(isGone),
    };
  }
}

/** Of two lists that are sorted; each proxy has a few resources beside the thousands that it shares. */
function mergedByName(a: readonly DiscoveryResource[], b: readonly DiscoveryResource[]): readonly DiscoveryResource[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const merged: DiscoveryResource[] = [];
  let at = 0;
  for (const resource of a) {
    for (let other = b[at]; other !== undefined && other.name < resource.name; other = b[++at]) merged.push(other);
    merged.push(resource);
  }
  for (const other of b.slice(at)) merged.push(other);
  return merged;
}

/** Nothing is to be seen. */
export const emptyView = new ResourceView();
