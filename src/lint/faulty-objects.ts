import { isPolicyKind } from '../compiler/collect.ts';
import { topologyKinds } from '../compiler/topology/lists.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { append } from '../lib/append.ts';
import { lookup } from '../lib/lookup.ts';
import { valueAt } from '../lib/value-at.ts';
import { standardGroup } from '../policy/gateway-api.ts';
import { type MeshObject, notYetCreated } from '../policy/object.ts';
import type { UnreadObject } from '../policy/unread-object.ts';
import type { PolicyDocument, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';

/** The objects in which the errors of an input are. */
export interface FaultyObjects {
  /** The kinds of policies, workloads and services that they are, or that are made of them. */
  readonly kinds: ReadonlySet<string>;
  /** That each of them is there, in its namespace: nothing else of it is known. */
  readonly evidence: readonly UnreadObject[];
  has(object: MeshObject<string>): boolean;
}

/** Finds the objects of all errors; undefined where one is in no object whose kind is known. */
export function faultyObjects(files: readonly SourceFile[], said: readonly Diagnostic[]): FaultyObjects | undefined {
  const errors = said.filter(({ severity }) => severity === 'error');
  const named = new Set(errors.map(({ span }) => span?.file));
  const bag = new DiagnosticBag();
  const documents = parse(
    files.filter(({ path }) => named.has(path)),
    bag,
  );
  if (bag.hasErrors) return undefined;
  const holding = holderOf(documents);
  const kinds = new Set<string>();
  const faulty = new Map<string, PolicyDocument>();
  for (const error of errors) {
    const document = holding(error);
    const made = document && kindsMadeOf(document);
    if (document === undefined || made === undefined) return undefined;
    for (const kind of made) kinds.add(kind);
    faulty.set(placeOf(document), document);
  }
  return {
    kinds,
    evidence: [...faulty.values()].map(evidenceOf),
    has: ({ document }) => faulty.has(placeOf(document)),
  };
}

/** What stands for kinds that are not read: what they do to traffic is what these would do. */
const likened: Readonly<Record<string, readonly string[]>> = {
  // Plug-ins and patches may verify tokens, or decide who gets in.
  EnvoyFilter: ['AuthorizationPolicy', 'RequestAuthentication'],
  'extensions.istio.io': ['AuthorizationPolicy', 'RequestAuthentication'],
  'authentication.istio.io': ['PeerAuthentication', 'RequestAuthentication'],
  'rbac.istio.io': ['AuthorizationPolicy'],
  // Of objects of the Gateway API Gateways and their routes are made.
  [standardGroup]: ['Gateway', 'VirtualService'],
};

function kindsMadeOf({ value: { apiVersion, kind } }: PolicyDocument): readonly string[] | undefined {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const [group = ''] = apiVersion.split('/');
  const isKnown = isPolicyKind(kind) || topologyKinds.some((it) => it === kind);
  return lookup(likened, group) ?? lookup(likened, kind) ?? (isKnown ? [kind] : undefined);
}

function evidenceOf(document: PolicyDocument): UnreadObject {
  const textAt = (...path: readonly string[]): string => {
    const text = valueAt(document.value, path);
    return typeof text === 'string' ? text : '';
  };
  return {
    ...{ kind: textAt('kind'), name: textAt('metadata', 'name'), document, createdAt: notYetCreated },
    ...{ namespace: textAt('metadata', 'namespace') || 'default', labels: {}, annotations: {} },
    ...{ template: undefined, mayFill: [] },
  };
}

/** Finds the document in which an error is; of thousands of both, none is compared with all of the others. */
function holderOf(documents: readonly PolicyDocument[]): (error: Diagnostic) => PolicyDocument | undefined {
  const byFile = new Map<string, PolicyDocument[]>();
  for (const document of documents) append(byFile, document.file, document);
  for (const list of byFile.values()) list.sort((a, b) => a.start.start - b.start.start);
  return (error) => {
    const offset = error.span?.start ?? 0;
    const list = byFile.get(error.span?.file ?? '') ?? [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.start.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    // What is written before the first field of an object, such as a tag, belongs to it.
    return [list[low - 1], list[low]].find((it) => it !== undefined && holds(it, error));
  };
}

function holds(document: PolicyDocument, { span }: Diagnostic): boolean {
  const whole = document.spanOf([]);
  return span?.file === document.file && whole.start <= span.start && span.start <= whole.end;
}

function placeOf({ file, start }: PolicyDocument): string {
  return `${file} ${start.start}`;
}
