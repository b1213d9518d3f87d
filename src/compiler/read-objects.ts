import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { OnStep } from '../lib/on-step.ts';
import type { MeshObject } from '../policy/object.ts';
import type { ValidObject } from '../policy/policy.ts';
import { targetsOf } from '../policy/policy-target.ts';
import type { UnreadObject } from '../policy/unread-object.ts';
import { isOfGatewayApi, isSkipped } from '../schema/dispatch.ts';
import { unreadObject } from '../schema/unread-object.ts';
import { countSkipped, validate } from '../schema/validate.ts';
import type { PolicyDocument, SourceFile } from '../source/document.ts';
import { type IsSkipped, parse } from '../source/parse.ts';
import { reportUnreadAnnotations } from './topology/unread-annotations.ts';

/**
 * The sound objects of the files; with errors in the bag there may be others. Objects of kinds that are not read go to
 * `onUnread`, if it is there.
 */
export type ReadObjects = (
  files: readonly SourceFile[],
  bag: DiagnosticBag,
  onUnread?: (object: UnreadObject) => void,
) => readonly MeshObject<string>[];

/** What of the inputs is read. */
export interface ReadingOptions {
  readonly onStep?: OnStep | undefined;
  /** Objects of the Gateway API are skipped, as other kinds that are not read. */
  readonly skipsGatewayApi?: boolean | undefined;
  /** Who reads, and can be told not to skip them; `meshd` by default. */
  readonly program?: 'meshd' | 'pilot-agent' | undefined;
}

/** A reader that remembers: the same text of a file gives the same objects, and the same diagnostics. */
export function createObjectReader(options: ReadingOptions = {}): ReadObjects {
  const reader = createReader(options);
  return (files, bag, onUnread) => {
    const entries = files.map((file) => reader(file, bag));
    // A document that gave an object was not skipped.
    const others = entries.flatMap(({ documents, objects }) => (documents.length === objects.length ? [] : documents));
    const skipped = onUnread === undefined ? others : others.filter((document) => !isTaken(document, onUnread));
    countSkipped(skipped, bag, options.skipsGatewayApi);
    const objects: MeshObject<string>[] = [];
    for (const entry of entries) for (const object of entry.objects) objects.push(object);
    reportUnreadAnnotations(objects, bag);
    return objects;
  };
}

/** Whether the pod template of a document of another kind was taken. */
function isTaken(document: PolicyDocument, onUnread: (object: UnreadObject) => void): boolean {
  const unread = unreadObject(document);
  if (unread !== undefined) onUnread(unread);
  return unread?.template !== undefined;
}

/** One file's documents, the objects among them, and what reading them had to say. */
interface ReadFile {
  readonly text: string;
  readonly documents: readonly PolicyDocument[];
  readonly objects: readonly MeshObject<string>[];
  readonly bag: DiagnosticBag;
}

/** Reads a file's objects once a text: parsing is the largest cost of a run. */
function createReader({
  onStep,
  skipsGatewayApi = false,
  program = 'meshd',
}: ReadingOptions): (file: SourceFile, bag: DiagnosticBag) => ReadFile {
  const cache = new Map<string, ReadFile>();
  const counted = { documents: 0, objects: 0 };
  // Asked of each document that is no list.
  const isSkippedNext: IsSkipped = (value, text, isFound) => {
    onStep?.('reading document', ++counted.documents);
    return isSkipped(value, text, isFound, skipsGatewayApi);
  };
  return (file, bag) => {
    let entry = cache.get(file.path);
    if (entry === undefined || entry.text !== file.text) {
      const own = new DiagnosticBag();
      const documents = parse([file], own, undefined, isSkippedNext);
      const objects = documents.flatMap((document) => {
        onStep?.('checking object', ++counted.objects);
        if (skipsGatewayApi && isOfGatewayApi(document.value)) return [];
        const object = validate(document, own);
        if (object === undefined || (skipsGatewayApi && refuseTargets(object, program, own))) return [];
        return object;
      });
      entry = { text: file.text, documents, objects, bag: own };
      cache.set(file.path, entry);
    }
    if (entry.bag.all.length > 0) bag.addAll(entry.bag.all);
    return entry;
  };
}

/** Refuses a policy that is bound to objects that are skipped: nobody knows whom it protects. */
function refuseTargets(object: ValidObject, program: string, bag: DiagnosticBag): boolean {
  if (object.kind !== 'AuthorizationPolicy' && object.kind !== 'RequestAuthentication') return false;
  const { spec, document } = object;
  const [first] = targetsOf(spec);
  if (first === undefined) return false;
  const field = String(first[1][1]);
  const reason = `it names objects of the Gateway API, which are skipped here; write a "selector", or set PILOT_ENABLED_SERVICE_APIS=true in the environment of ${program}`;
  bag.report('unsupported-field', document.spanOf(['spec', field], 'key'), { field, reason });
  return true;
}
