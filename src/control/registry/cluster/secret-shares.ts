import type { NamedSecret } from './named-secrets.ts';
import { keyOf } from './secret-name.ts';

export interface SecretBounds {
  readonly all: number;
  /** By the Gateways of one namespace. */
  readonly perNamespace: number;
}

/** Each followed Secret needs a connection. */
export const usualBounds: SecretBounds = { all: 500, perNamespace: 100 };

export interface SecretShares {
  readonly chosen: readonly NamedSecret[];
  readonly leftOut: readonly NamedSecret[];
}

/**
 * Chooses which named Secrets are followed. Those in `followed` (`<namespace>/<name>`) stay, so that a Gateway with many
 * names displaces no other. For new ones the namespaces of their Gateways take turns. A Secret is chosen together with the
 * Secret of its CAs, or neither.
 */
export function shareSecrets(
  named: readonly NamedSecret[],
  followed: ReadonlySet<string>,
  bounds = usualBounds,
): SecretShares {
  const chosen: NamedSecret[] = [];
  const leftOut: NamedSecret[] = [];
  const counts = new Map<string, number>();
  const take = (secret: NamedSecret): void => {
    chosen.push(secret);
    for (const namespace of secret.namedIn) add(counts, namespace);
  };
  for (const secret of named) if (followed.has(keyOf(secret))) take(secret);
  for (const group of inTurns(named.filter((secret) => !followed.has(keyOf(secret))))) {
    const isRoom = [...(group[0]?.namedIn ?? [])].some(
      (namespace) => (counts.get(namespace) ?? 0) + group.length <= bounds.perNamespace,
    );
    if (isRoom && chosen.length + group.length <= bounds.all) group.forEach(take);
    else leftOut.push(...group);
  }
  return { chosen, leftOut };
}

/** The first of each namespace, then the second of each, and so on. */
function inTurns(secrets: readonly NamedSecret[]): readonly (readonly NamedSecret[])[] {
  const keys = new Set(secrets.map(keyOf));
  const groups = new Map<string, NamedSecret[]>();
  for (const secret of secrets) {
    const key = keyOf(secret);
    const pair = key.replace(/-cacert$/, '');
    const group = keys.has(pair) ? pair : key;
    groups.set(group, [...(groups.get(group) ?? []), secret]);
  }
  const seen = new Map<string, number>();
  const turns = [...groups.values()].map((group) => ({
    group,
    turn: Math.min(...[...(group[0]?.namedIn ?? [])].map((namespace) => add(seen, namespace))),
  }));
  return turns.sort((a, b) => a.turn - b.turn).map(({ group }) => group);
}

/** Counts one more, and returns how many those are. */
function add(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
