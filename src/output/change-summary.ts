import { append } from '../lib/append.ts';
import { compareStrings } from '../lib/sort.ts';
import { typedMessage } from './discovery-response.ts';
import type { OutputFile } from './plan.ts';
import { readResponse } from './read-response.ts';

/** A file that differs; undefined where it is not there. */
export interface FileChange {
  readonly path: string;
  /** The text on disk. */
  readonly before: string | undefined;
  readonly after: OutputFile | undefined;
}

/** So many names of one kind are told. */
const maxNames = 6;

/**
 * What changes, for a person: one line a workload, with the listeners, routes and clusters that are changed, new or gone.
 * Empty when nothing differs.
 */
export function changeSummary(changes: readonly FileChange[]): string {
  const byWorkload = new Map<string, FileChange[]>();
  for (const change of changes) {
    const [, workload] = /^([^/]+\/[^/]+)\//.exec(change.path) ?? [];
    append(byWorkload, workload ?? '', change);
  }
  const lines = [...byWorkload]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([workload, files]) => `  ${workload === '' ? 'the mesh' : workload}: ${partsOf(files).join('; ')}\n`);
  const count = byWorkload.size - (byWorkload.has('') ? 1 : 0);
  return lines.length === 0 ? '' : `${count} workload${count === 1 ? '' : 's'} would change:\n${lines.join('')}\n`;
}

/** `listeners virtualInbound, 0.0.0.0_80 (new)` and the like, in the order in which Envoy sees them. */
function partsOf(files: readonly FileChange[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const file of files) {
    const [part = ''] = file.path.split('/').slice(file.path.includes('/') ? 2 : 0);
    const kind = part.replace(/\.(?:json|yaml)$/, '');
    names.set(kind, [...(names.get(kind) ?? []), ...namesOf(kind, file)]);
  }
  const order = ['clusters', 'routes', 'listeners', 'bootstrap', 'mesh', 'origins'];
  return [...names]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b) || compareStrings(a, b))
    .map(([kind, all]) => {
      all.sort();
      const shown = all.length > maxNames ? [...all.slice(0, maxNames), `and ${all.length - maxNames} more`] : all;
      return [kind, shown.join(', ')].join(' ').trim();
    });
}

function namesOf(kind: string, { path, before, after }: FileChange): readonly string[] {
  if (kind === 'routes') {
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:json|yaml)$/, '');
    return [marked(decoded(name), before, after)];
  }
  if (kind !== 'listeners' && kind !== 'clusters') return [];
  const old = before === undefined ? none : readResponse(before, path.endsWith('.json') ? 'json' : 'yaml');
  if (old === undefined) return [];
  const fresh = new Map(after?.resources?.map((it) => [it.name, JSON.stringify(typedMessage(it))]));
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((name) => old.get(name) !== fresh.get(name))
    .sort()
    .map((name) => marked(name, old.get(name), fresh.get(name)));
}

/** The name itself where somebody else has given it, so that it is no encoded one. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const none: ReadonlyMap<string, string> = new Map();

function marked(name: string, before: unknown, after: unknown): string {
  if (before === undefined) return `${name} (new)`;
  return after === undefined ? `${name} (gone)` : name;
}
