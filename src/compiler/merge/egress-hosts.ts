import { isWildcard, subsetOf } from '../topology/host.ts';

/** Hosts of one namespace, or of all. */
export interface EgressHost {
  /** `*` is every namespace. */
  readonly namespace: string;
  /** In lower case; a name, or a wildcard. */
  readonly host: string;
}

const indexes = new WeakMap<readonly EgressHost[], EgressHosts>();

/** The entries of one list, to be asked without a look at each: there may be thousands. Made once a list. */
export function egressHosts(hosts: readonly EgressHost[]): EgressHosts {
  const index = indexes.get(hosts) ?? new EgressHosts(hosts);
  indexes.set(hosts, index);
  return index;
}

/** Finds the entries that cover a host by what they end in. */
export class EgressHosts {
  readonly #hosts: readonly EgressHost[];
  readonly #keys: ReadonlySet<string>;
  readonly #namespaces: ReadonlySet<string>;
  /** Of what stands after the star of wildcards. */
  readonly #lengths: readonly number[];

  constructor(hosts: readonly EgressHost[]) {
    this.#hosts = hosts;
    this.#keys = new Set(hosts.map(egressKey));
    this.#namespaces = new Set(hosts.map(({ namespace }) => namespace));
    this.#lengths = [...new Set(hosts.flatMap(({ host }) => (isWildcard(host) ? host.length - 1 : [])))];
  }

  /** Whether an entry is for hosts of this namespace, whichever they are. */
  names(namespace: string): boolean {
    return this.#namespaces.has(namespace) || this.#namespaces.has('*');
  }

  /** Whether an entry covers all names that a host of a namespace stands for. */
  covers(namespace: string, host: string): boolean {
    return this.#covers(namespace, host, undefined);
  }

  /** Whether another entry makes this one superfluous. */
  isCovered(entry: EgressHost): boolean {
    return this.#covers(entry.namespace, entry.host, egressKey(entry));
  }

  /** The same as `covers`, or an entry is one of the names that a wildcard stands for. */
  meets(namespace: string, host: string): boolean {
    if (this.covers(namespace, host)) return true;
    if (!isWildcard(host)) return false;
    return this.#hosts.some((entry) => [namespace, '*'].includes(entry.namespace) && subsetOf(entry.host, host));
  }

  #covers(namespace: string, host: string, besides: string | undefined): boolean {
    const longest = isWildcard(host) ? host.length - 1 : host.length;
    const isThere = (key: string): boolean => key !== besides && this.#keys.has(key);
    return (namespace === '*' ? ['*'] : [namespace, '*']).some(
      (owner) =>
        isThere(`${owner}/${host}`) ||
        this.#lengths.some((length) => length <= longest && isThere(`${owner}/*${host.slice(host.length - length)}`)),
    );
  }
}

/** Equal for equal entries. */
export function egressKey({ namespace, host }: EgressHost): string {
  return `${namespace}/${host}`;
}
