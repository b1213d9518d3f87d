import type { Snapshot } from '../../compiler/snapshot.ts';
import type { DecidingField } from '../../contracts/origins-file.ts';
import type { Diagnostic } from '../../diagnostics/bag.ts';
import { diagnosticJson } from '../../diagnostics/formats/json.ts';
import { formatBlocks } from '../../diagnostics/formats/text.ts';
import { type PlacedDiagnostic, placeEach, type SourceText } from '../../diagnostics/placed.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import type { CliIo } from '../io.ts';

/** What `meshpol compile` tells of the inputs that an answer rests on. There is no error among it: with one there is no answer. */
export interface InputWarnings {
  /** What may matter to a question about these namespaces, which these objects had a say in. */
  about(namespaces: Iterable<string>, objects?: Iterable<ObjectName>): ConcernedWarnings;
  /** All, but for what is said for information alone. */
  readonly warnings: readonly PlacedDiagnostic[];
}

/** An object as `origins.json` names it: a kind that two groups have stands with its group. */
export type ObjectName = Pick<DecidingField, 'kind' | 'namespace' | 'name'>;

export interface ConcernedWarnings {
  readonly shown: readonly PlacedDiagnostic[];
  /** How many are about other namespaces. */
  readonly others: number;
}

/**
 * A warning is about the objects that it points to, and their namespaces. One without a place, and one about an object of the
 * root namespace or of a namespace without workloads, which may be misspelt, matters to every question.
 */
export function inputWarnings(
  diagnostics: readonly Diagnostic[],
  sources: readonly SourceText[],
  { objects, topology, settings, decidedRoot }: Snapshot,
): InputWarnings {
  const placed = placeEach(diagnostics, sources);
  const inhabited = new Set(topology.workloads.map(({ namespace }) => namespace));
  const root = decidedRoot ?? settings.rootNamespace;
  return {
    about(namespaces, deciding = []) {
      const holders = new Holders(objects);
      const asked = new Set(namespaces);
      const named = new Set([...deciding].map(nameOf));
      const concerns = (span: SourceSpan): boolean => {
        const holder = holders.holderOf(span);
        const namespace = holder && namespaceOf(holder);
        if (holder === undefined || namespace === undefined || namespace === root) return true;
        return asked.has(namespace) || !inhabited.has(namespace) || named.has(nameOf(holder));
      };
      const shown = placed.filter(({ item: { span, related } }) =>
        span === undefined ? true : concerns(span) || related.some((other) => concerns(other.span)),
      );
      return { shown: shown.map((one) => one.placed), others: placed.length - shown.length };
    },
    get warnings() {
      return placed.map((one) => one.placed).filter(({ severity }) => severity !== 'info');
    },
  };
}

/** The objects that hold a place. */
class Holders {
  /** Of each file, in their order. */
  readonly #objects = new Map<string, Snapshot['objects'][number][]>();

  constructor(objects: Snapshot['objects']) {
    for (const object of objects) {
      const own = this.#objects.get(object.document.file);
      if (own === undefined) this.#objects.set(object.document.file, [object]);
      else own.push(object);
    }
    for (const own of this.#objects.values()) own.sort((a, b) => a.document.start.start - b.document.start.start);
  }

  /** Undefined where no object stands: in settings, and in objects that are none of the mesh. */
  holderOf({ file, start }: SourceSpan): Snapshot['objects'][number] | undefined {
    const holder = this.#objects.get(file)?.findLast(({ document }) => document.start.start <= start);
    return holder === undefined || start >= holder.document.spanOf([]).end ? undefined : holder;
  }
}

/** Undefined for kinds without one. */
function namespaceOf({ kind, name, namespace }: ObjectName): string | undefined {
  return (kind === 'Namespace' ? name : namespace) || undefined;
}

function nameOf({ kind, namespace, name }: ObjectName): string {
  return `${kind.split('.', 1)[0]} ${namespace}/${name}`;
}

/** So many stand in full beside an answer; the others are only counted. */
const mostShown = 10;

/** For people, below the answer; empty where there is nothing to tell. */
export function formatWarnings({ shown, others }: ConcernedWarnings): string {
  const first = shown.slice(0, mostShown);
  const more = shown.length - first.length;
  const counted = [
    ...(more === 0 ? [] : [`${more} more`]),
    ...(others === 0 ? [] : [`${others} about other namespaces`]),
  ];
  if (first.length + counted.length === 0) return '';
  const left = counted.length === 0 ? '' : `not shown: ${counted.join(', ')}; "meshpol compile" shows all\n`;
  return `${formatBlocks(first, mostShown)}${left}`;
}

/** What `ask` gives; where it throws because the inputs lack something, the warnings are told first: they may say why. */
export async function withWarnings<T>(warnings: () => ConcernedWarnings, io: CliIo, ask: () => T): Promise<T> {
  try {
    return ask();
  } catch (error) {
    await io.writeError(formatWarnings(warnings()));
    throw error;
  }
}

/** The warnings of all meshes that a command has opened; one that several meshes share stands once. */
export function joinWarnings(meshes: Iterable<InputWarnings>): readonly PlacedDiagnostic[] {
  const all = [...meshes].flatMap(({ warnings }) => warnings);
  return [...new Map(all.map((one) => [JSON.stringify([one.place, one.code, one.message]), one])).values()];
}

/** One line for people who asked about many requests; empty where there is no warning. */
export function countWarnings(warnings: readonly PlacedDiagnostic[]): string {
  const { length } = warnings;
  if (length === 0) return '';
  return `${length} warning${length === 1 ? '' : 's'} about these inputs: "meshpol compile" shows ${length === 1 ? 'it' : 'them'}\n`;
}

/** For programs: none is left out but those of other namespaces, which are counted. */
export function warningsJson({ shown, others }: ConcernedWarnings): object {
  return { diagnostics: shown.map(diagnosticJson), otherDiagnostics: others };
}
