import type { Diagnostic } from '../../diagnostics/bag.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import { type JsonContents, jsonPathAt } from '../../diagnostics/json-positions.ts';
import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import { append } from '../../lib/append.ts';
import { standardGroup } from '../../policy/gateway-api.ts';
import type { SourceFile } from '../../source/document.ts';
import type { ObjectFact, ObjectFacts } from '../registry/cluster/object-facts.ts';
import type { StandardMesh } from './gateway-api/standard-mesh.ts';
import { standardStatusOf } from './gateway-api/standard-status-of.ts';
import type { PlacedFinding, StandardSubject } from './gateway-api/standard-subject.ts';
import { type Finding, type ObjectReport, trackedKey, type Verdict } from './object-report.ts';

/** Receives all reports that have changed. */
export type TellReports = (changed: readonly ObjectReport[], removed: readonly string[]) => void;

/** Results of a compilation for objects. */
export interface Decided {
  readonly files: readonly SourceFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Of the objects in force, by `trackedKey`. */
  readonly versionOf: (key: string) => string | undefined;
  /** What is in force; undefined: nothing is, or objects of the Gateway API are not read. */
  readonly mesh: StandardMesh | undefined;
}

interface Placed {
  readonly span?: Diagnostic['span'];
  readonly code: string;
  readonly message: string;
}

interface Judged {
  readonly file: SourceFile;
  readonly verdict: Verdict;
  /** It is the same as that of another verdict where this is. */
  readonly text: string;
}

/** Of an object of the Gateway API, whose status says everything. */
const unversioned: Verdict = { version: undefined, errors: [], lint: undefined };

/** Events of one write, and those of many, are told together. */
const gatherMs = 100;

/** Joins the API server's view of each object with the compiler's result, and reports changes. */
export class ObjectReporter {
  readonly #facts: ObjectFacts;
  readonly #tell: TellReports;
  #judged = new Map<string, Judged>();
  readonly #changed = new Set<string>();
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(facts: ObjectFacts, tell: TellReports) {
    this.#facts = facts;
    this.#tell = tell;
    facts.follow(() => this.#tellSoon());
  }

  /** A compilation of these files has ended. */
  decided({ files, diagnostics, versionOf, mesh }: Decided): void {
    const byPath = placedByPath(diagnostics.filter(({ severity }) => severity === 'error'));
    const warnings = placedByPath(diagnostics.filter(({ severity }) => severity !== 'error'));
    const before = this.#judged;
    this.#judged = new Map();
    for (const file of files) {
      const fact = this.#facts.get(file.path);
      if (fact === undefined) continue;
      const errors = byPath.get(file.path) ?? [];
      const verdict: Verdict =
        fact.type.group === standardGroup
          ? {
              ...unversioned,
              standard: mesh && standardStatusOf(subjectOf(fact, errors, warnings.get(file.path)), mesh),
            }
          : {
              version: versionOf(trackedKey(fact)),
              errors: errors.map((error) => findingOf(error, file.text)),
              // Of the same text it stays until lint looks again.
              lint: before.get(file.path)?.file === file ? before.get(file.path)?.verdict.lint : undefined,
            };
      const text = JSON.stringify(verdict);
      const known = before.get(file.path);
      const isSame = known?.text === text && known.file === file;
      this.#judged.set(file.path, isSame ? known : { file, verdict, text });
      if (!isSame) this.#changed.add(file.path);
    }
    this.#tellSoon();
  }

  /** Lint has looked at these files. What is another one by now waits for the next look. */
  linted(findings: readonly Placed[], files: readonly SourceFile[]): void {
    const byPath = placedByPath(findings);
    for (const file of files) {
      const judged = this.#judged.get(file.path);
      if (judged?.file !== file || this.#facts.get(file.path)?.type.group === standardGroup) continue;
      const lint = (byPath.get(file.path) ?? []).map((finding) => findingOf(finding, file.text));
      const verdict = { ...judged.verdict, lint };
      const text = JSON.stringify(verdict);
      if (text === judged.text) continue;
      this.#judged.set(file.path, { file, verdict, text });
      this.#changed.add(file.path);
    }
    this.#tellSoon();
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tellNow();
    }, gatherMs);
  }

  #tellNow(): void {
    const paths = new Set([...this.#facts.takeChanged(), ...this.#changed]);
    this.#changed.clear();
    const [changed, removed]: [ObjectReport[], string[]] = [[], []];
    for (const path of paths) {
      const fact = this.#facts.get(path);
      if (fact !== undefined) {
        changed.push(this.#reportOf(path, fact));
        this.#told.add(path);
      } else if (this.#told.delete(path)) removed.push(path);
    }
    if (changed.length > 0 || removed.length > 0) this.#tell(changed, removed);
  }

  #reportOf(path: string, { file, ...fact }: ObjectFact): ObjectReport {
    const judged = this.#judged.get(path);
    // What differs from what was compiled waits for its own verdict.
    return { path, ...fact, verdict: judged?.file === file ? judged.verdict : undefined };
  }
}

function placedByPath<T extends Placed>(all: readonly T[]): Map<string, T[]> {
  const byPath = new Map<string, T[]>();
  for (const one of all) if (one.span !== undefined) append(byPath, one.span.file, one);
  return byPath;
}

function findingOf({ span, code, message }: Placed, text: string): Finding {
  return { code, field: span === undefined ? '' : formatPath(jsonPathAt(text, span.start)), message };
}

function subjectOf(
  { file, type, namespace = '', name }: ObjectFact,
  errors: readonly Diagnostic[],
  warnings: readonly Diagnostic[] = [],
): StandardSubject {
  const known: JsonContents = new Map();
  const at = (span: SourceSpan): JsonPath => jsonPathAt(file.text, span.start, known);
  const placed = ({ code, message, span, related }: Diagnostic): PlacedFinding => ({
    ...{ code, message, path: span === undefined ? [] : at(span) },
    related: related.flatMap((other) => (other.span.file === file.path ? [at(other.span)] : [])),
  });
  const value: unknown = JSON.parse(file.text);
  return { kind: type.kind, namespace, name, value, errors: errors.map(placed), warnings: warnings.map(placed) };
}
