import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { parsePath } from '../../diagnostics/json-path.ts';
import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import { canonicalMessage } from '../../envoy/api/canonical.ts';
import { mergeMessages, pathInOverride } from '../../envoy/api/merge.ts';
import type { PolicyDocument, SourceFile } from '../../source/document.ts';
import { parse } from '../../source/parse.ts';
import { messageTypes, type Resource } from './resource.ts';

/** A bootstrap that the user wrote, or a part of one: in the canonical form, whatever the form of the file. */
export interface UserMessage {
  readonly file: string;
  readonly json: Resource['json'];
  readonly start: SourceSpan;
  /** Where the file says what stands at a path of `json`; a field that is missing is told at the object that lacks it. */
  placeOf(path: JsonPath): SourceSpan;
}

/** Bootstraps of the user's, in Envoy's own form. */
export interface UserBootstrap {
  /** Takes the place of the rendered one. */
  readonly custom?: UserMessage | undefined;
  /** Laid over the rendered one, or over the custom one. */
  readonly override?: UserMessage | undefined;
}

/** Texts of a user's bootstraps; absent where there is none. */
export interface BootstrapTexts {
  readonly custom?: SourceFile | undefined;
  readonly override?: SourceFile | undefined;
}

/** Parses both, as YAML or JSON; one with a mistake, which goes to the bag, is absent from the result. */
export function parseUserBootstrap({ custom, override }: BootstrapTexts, bag: DiagnosticBag): UserBootstrap {
  return { custom: custom && parseUserMessage(custom, bag), override: override && parseUserMessage(override, bag) };
}

function parseUserMessage(file: SourceFile, bag: DiagnosticBag): UserMessage | undefined {
  const before = bag.all.length;
  const [document, second] = parse([file], bag);
  if (bag.all.length > before) return undefined;
  const start = { file: file.path, start: 0, end: 0 };
  if (document === undefined) bag.report('invalid-bootstrap', start, { reason: 'it is empty' });
  else if (second !== undefined) bag.report('invalid-bootstrap', second.start, { reason: 'it has a second document' });
  return document && readUserMessage(document, bag);
}

/** Brings a file to the canonical form; a field that it spells in two ways is reported. */
export function readUserMessage(document: PolicyDocument, bag: DiagnosticBag): UserMessage {
  const { json, places, spelledTwice } = canonicalMessage(messageTypes.bootstrap, document.value);
  for (const field of spelledTwice) {
    const reason = `the field "${field.at(-1)}" is there in two spellings`;
    bag.report('invalid-bootstrap', document.spanOf(field, 'key'), { reason });
  }
  return {
    file: document.file,
    json,
    start: document.start,
    placeOf: (path) => placeOf(document, places.written(path)),
  };
}

/** The bootstrap that Envoy gets; faults in what the user wrote are reported where the user wrote it. */
export function withUserBootstrap(rendered: Resource, { custom, override }: UserBootstrap): Resource {
  const base =
    custom === undefined ? rendered : replaced(rendered, custom.json, (path) => custom.placeOf(parsePath(path)));
  if (override === undefined) return base;
  const json = mergeMessages(messageTypes.bootstrap, base.json, override.json);
  return {
    ...replaced(base, json, (path) => {
      const own = pathInOverride(messageTypes.bootstrap, base.json, override.json, parsePath(path));
      if (own !== undefined) return override.placeOf(own);
      return base.placeInTemplate?.(path) ?? override.start;
    }),
    overridden: base.json,
  };
}

function replaced(
  { type, name, origins }: Resource,
  json: Resource['json'],
  place: NonNullable<Resource['placeInTemplate']>,
): Resource {
  return { type, name, json, text: JSON.stringify(json, null, 2), origins, placeInTemplate: place };
}

function placeOf(document: PolicyDocument, path: JsonPath): SourceSpan {
  let here: unknown = document.value;
  let depth = 0;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !(step in here)) break;
    here = (here as Readonly<Record<string | number, unknown>>)[step];
    depth += 1;
  }
  return document.spanOf(path.slice(0, depth), depth < path.length ? 'key' : 'value');
}
