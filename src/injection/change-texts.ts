import { parse as parseYaml } from 'yaml';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { formatPath } from '../diagnostics/json-path.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import { cutDocuments } from '../source/cut.ts';
import type { JsonObject, PolicyDocument, SourceFile } from '../source/document.ts';
import { hasHead, isNoObject } from '../source/head.ts';
import { listItems } from '../source/list-items.ts';
import { parse } from '../source/parse.ts';
import { found as inWords } from './check-shape.ts';
import { skipTexts } from './decide.ts';
import { editText, type PodEdit } from './edit-text.ts';
import { inject } from './inject.ts';
import { patch } from './patch.ts';
import type { PodObject, Texts } from './pod.ts';
import { hasOtherPods, type PodInObject, podGap, podIn } from './pod-template.ts';
import type { InjectionSettings } from './settings.ts';
import { withoutInjection } from './status.ts';

/** YAML documents, each with its separator. */
export interface ChangedTexts {
  readonly texts: readonly string[];
  /** What was skipped and why, a line each. */
  readonly notes: readonly string[];
}

interface Changing {
  /** Undefined: what was injected is taken out. */
  readonly settings: InjectionSettings | undefined;
  /** By name, of the namespaces among the inputs. */
  readonly namespaces: ReadonlyMap<string, Texts>;
  readonly notes: string[];
  readonly bag: DiagnosticBag;
}

/**
 * Every document of the inputs, those with pods changed. A namespace that is not among the inputs counts as one whose pods
 * get a proxy. Without errors in the bag the texts are whole.
 */
export function changeTexts(
  files: readonly SourceFile[],
  settings: InjectionSettings | undefined,
  bag: DiagnosticBag,
): ChangedTexts {
  const objects = files.map((file) => parse([file], bag));
  for (const object of objects.flat()) if (!object.isFound || !isNoObject(object.value)) hasHead(object, bag);
  if (bag.hasErrors) return { texts: [], notes: [] };
  const changing: Changing = { settings, namespaces: namespacesIn(objects.flat()), notes: [], bag };
  const texts = files.flatMap((file, i) => {
    let left = objects[i] ?? [];
    return cutDocuments(file.text).map(({ start, end }) => {
      const text = file.text.slice(start, end);
      const paths = objectPaths(parseYaml(text));
      const edits = editsOf(paths, left, changing);
      left = left.slice(paths.length);
      const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
      const changed = edits.length === 0 ? text : editText(text, edits).replace(/\r?\n/g, lineEnd);
      const separated = /^(---|%)/.test(changed) ? changed : `---${lineEnd}${changed}`;
      return separated.endsWith('\n') ? separated : `${separated}${lineEnd}`;
    });
  });
  return { texts, notes: changing.notes };
}

/** The changes of one document's objects, which stand at these paths: of one, or of all items of a list. */
function editsOf(
  paths: readonly JsonPath[],
  objects: readonly PolicyDocument[],
  changing: Changing,
): readonly PodEdit[] {
  return paths.flatMap((base, i) => {
    const object = objects[i];
    const found = object && podIn(object.value);
    if (found === undefined) {
      if (object && changing.settings) tellOfNoPod(object, changing);
      return [];
    }
    const after = changedPod(object as PolicyDocument, found, changing);
    const operations = after === undefined ? [] : patch(found.pod, after);
    return operations.length === 0 ? [] : [{ path: [...base, ...found.path], operations }];
  });
}

function changedPod(document: PolicyDocument, found: PodInObject, changing: Changing): PodObject | undefined {
  const { settings, namespaces, notes, bag } = changing;
  const own = new DiagnosticBag();
  const tell = (diagnostics: DiagnosticBag['all']): void =>
    bag.addAll(diagnostics.map((each) => ({ span: document.spanOf(['metadata', 'name']), ...each })));
  if (settings === undefined) {
    const pod = withoutInjection(found.pod, own);
    tell(own.all);
    return pod;
  }
  const { pod, namespace, controller, path } = found;
  const namespaceLabels = namespaces.get(namespace) ?? { 'mesh.io/rev': settings.revision };
  const placeOf = (below: readonly (string | number)[]) => document.spanOf([...path, ...below], 'key');
  const injection = inject({ pod, namespace, namespaceLabels, controller, placeOf }, settings);
  tell(injection.kind === 'refused' ? injection.diagnostics : injection.warnings);
  if (injection.kind === 'skipped')
    notes.push(`${nameOf(document.value)} is left as it is: ${skipTexts[injection.reason]}`);
  return injection.kind === 'injected' ? injection.pod : undefined;
}

/** Where the objects of a document stand in it: it is one, or a list that may hold lists. */
function objectPaths(value: unknown, base: JsonPath = []): readonly JsonPath[] {
  const items = listItems(value);
  return items === undefined ? [base] : items.flatMap((item, i) => objectPaths(item, [...base, 'items', i]));
}

function namespacesIn(documents: readonly PolicyDocument[]): ReadonlyMap<string, Texts> {
  return new Map(
    documents.flatMap(({ value: { kind, metadata } }) => {
      const { name, labels = {} } = (metadata ?? {}) as { readonly name?: string; readonly labels?: Texts };
      return kind === 'Namespace' && name !== undefined ? [[name, labels] as const] : [];
    }),
  );
}

/** What is neither changed nor refused is told of, but for objects that have no pods. */
function tellOfNoPod(document: PolicyDocument, { notes, bag }: Changing): void {
  const object = document.value;
  if (hasOtherPods(object)) notes.push(noteOfOther(object));
  const gap = podGap(object);
  if (gap === undefined) return;
  const field = formatPath(gap.path);
  if (gap.is === undefined) notes.push(`${nameOf(object)} is left as it is: it has no ${field}`);
  else {
    const problem = `${field} is ${inWords(gap.is)}, expected an object`;
    bag.report('uninjectable-pod', document.spanOf(gap.path), { problem });
  }
}

function noteOfOther(object: JsonObject): string {
  const { apiVersion, kind } = object;
  const unknown = `this command does not know ${kind} of ${apiVersion}`;
  return `${nameOf(object)} is left as it is: ${unknown}; a control plane decides about its pods when they are created`;
}

function nameOf({ kind, metadata }: JsonObject): string {
  const { name, generateName, namespace } = (metadata ?? {}) as Texts;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name ?? generateName ?? ''}`;
}
