import type { LiftedProxy } from '../lift-proxy.ts';
import { StringMatch } from '../model/string-match.ts';

interface PathTest {
  matches(path: string): boolean;
}

/** Tells which paths a proxy treats alike, so that one verdict is enough for all of them. */
export class PathClasses {
  /** By what they test. */
  readonly #bare = new Map<string, PathTest>();
  readonly #whole = new Map<string, PathTest>();
  #readsQuery = false;

  /** Of each version of the proxy, and of paths that are tested besides. */
  constructor(proxies: readonly LiftedProxy[], others: readonly StringMatch[]) {
    for (const { listeners, routes } of proxies) {
      for (const part of [...listeners.values(), ...routes.values()]) this.#collect(part);
    }
    for (const match of others) this.#bare.set(textOf(match), match);
  }

  /** Equal for paths that are treated alike; undefined for one that may be changed before it is tested. */
  of(path: string): string | undefined {
    const [, bare, query] = /^((?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+)(\?[!"$-~]*)?$/.exec(path) ?? [];
    if (bare === undefined || (query !== undefined && this.#readsQuery)) return undefined;
    let met = '';
    let index = 0;
    for (const test of this.#bare.values()) {
      if (test.matches(bare)) met += `${index} `;
      index++;
    }
    for (const test of this.#whole.values()) {
      if (test.matches(path)) met += `${index} `;
      index++;
    }
    return met;
  }

  #collect(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    const { kind, match, template, path, name, parameters, params } = part as Readonly<Record<string, unknown>>;
    if (kind === 'path' && match instanceof StringMatch) this.#bare.set(textOf(match), match);
    if (kind === 'path-template')
      this.#bare.set(`template ${JSON.stringify(template)} ${this.#bare.size}`, template as PathTest);
    if (path instanceof StringMatch) this.#bare.set(textOf(path), path);
    if (name === ':path' && match instanceof StringMatch) this.#whole.set(textOf(match), match);
    if ([parameters, params].some((list) => Array.isArray(list) && list.length > 0)) this.#readsQuery = true;
    for (const [key, member] of Object.entries(part)) if (key !== 'at') this.#collect(member);
  }
}

function textOf({ kind, value, ignoresCase }: StringMatch): string {
  return `${kind} ${ignoresCase} ${value}`;
}
