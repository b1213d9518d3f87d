import type { CaseFiles } from './stored-form.ts';

/** Collects what an update changes, for a person who reads it instead of the files. */
export interface Summary {
  /** What a case compiles to now. */
  add(name: string, files: CaseFiles): void;
  /** A line for each resource that differs in any case: what happened to it, in how many cases and in which. */
  text(): string;
}

/** Remembers the goldens called `names` as they are before the update; one that cannot be read counts as not there. */
export function createSummary(names: readonly string[], filesOf: (name: string) => CaseFiles): Summary {
  const before = new Map(names.map((name) => [name, readable(() => partsOf(filesOf(name)))]));
  const casesByLine = new Map<string, string[]>();
  const compare = (name: string, now: Parts): void => {
    for (const line of differences(before.get(name) ?? new Map(), now)) {
      casesByLine.set(line, [...(casesByLine.get(line) ?? []), name]);
    }
    before.delete(name);
  };
  return {
    add: (name, files) => compare(name, partsOf(files)),
    text: () => {
      for (const name of [...before.keys()]) compare(name, new Map());
      return format(casesByLine);
    },
  };
}

/** Texts of resources by kind and name, and of files that hold none; those of all proxies of a case together. */
type Parts = ReadonlyMap<string, string>;

/** A golden may hold the marks of a conflict. */
function readable(read: () => Parts): Parts {
  try {
    return read();
  } catch {
    return new Map();
  }
}

function format(casesByLine: ReadonlyMap<string, readonly string[]>): string {
  if (casesByLine.size === 0) return 'No golden changed.\n';
  const lines = [...casesByLine].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  return lines.map(([line, cases]) => `${line} in ${counted(cases)}\n`).join('');
}

function counted(cases: readonly string[]): string {
  const shown = cases.slice(0, 3).join(', ');
  return `${cases.length} ${cases.length === 1 ? 'case' : 'cases'} (${shown}${cases.length > 3 ? ', ...' : ''})`;
}

/** Such as `listener virtualInbound: changed`. */
function differences(before: Parts, now: Parts): readonly string[] {
  if (before.size === 0) return ['everything: new'];
  if (now.size === 0) return ['everything: gone'];
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((part) => before.get(part) !== now.get(part))
    .map((part) => `${part}: ${before.has(part) ? (now.has(part) ? 'changed' : 'gone') : 'new'}`);
}

const kinds: Readonly<Record<string, string>> = { 'listeners.json': 'listener', 'clusters.json': 'cluster' };

function partsOf(files: CaseFiles): Parts {
  const texts = new Map<string, string>();
  const add = (part: string, text: string): void => void texts.set(part, (texts.get(part) ?? '') + text);
  for (const [path, text] of [...files].sort()) {
    const file = path.slice(path.lastIndexOf('/') + 1);
    const kind = path.includes('/routes/') ? 'route' : kinds[file];
    if (kind === undefined) add(file, text);
    else for (const resource of resourcesOf(text)) add(`${kind} ${resource.name}`, JSON.stringify(resource));
  }
  return texts;
}

function resourcesOf(text: string): readonly { readonly name: string }[] {
  return (JSON.parse(text) as { readonly resources: readonly { readonly name: string }[] }).resources;
}
