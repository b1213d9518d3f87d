import { readFile } from 'node:fs/promises';
import { readUserMessage, type UserBootstrap, type UserMessage } from '../compiler/render/user-bootstrap.ts';
import { maskText } from '../config/redact.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { WorldFailure } from '../lib/failure.ts';
import type { SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';

/** A bootstrap that a setting names cannot be read: without it Envoy would run another configuration than asked for. */
export class BootstrapError extends WorldFailure<'bootstrap-unreadable'> {
  constructor(message: string, options?: ErrorOptions) {
    super('bootstrap-unreadable', message, options);
  }
}

/** Files of the user's, in Envoy's own form; undefined where none is named. */
export interface BootstrapPaths {
  /** `customConfigFile` of the proxy configuration. */
  readonly custom: string | undefined;
  /** MESH_BOOTSTRAP_OVERRIDE */
  readonly override: string | undefined;
}

/** Reads both, as YAML or JSON; `texts` gets them, for diagnostics that point into them. A missing file is thrown. */
export async function readUserBootstrap(
  { custom, override }: BootstrapPaths,
  bag: DiagnosticBag,
  texts: SourceFile[],
): Promise<UserBootstrap> {
  return {
    custom: custom === undefined ? undefined : await readMessage(custom, 'customConfigFile', bag, texts),
    override: override === undefined ? undefined : await readMessage(override, 'MESH_BOOTSTRAP_OVERRIDE', bag, texts),
  };
}

async function readMessage(
  path: string,
  setting: string,
  bag: DiagnosticBag,
  texts: SourceFile[],
): Promise<UserMessage | undefined> {
  const file = { path, text: await readText(path, setting) };
  texts.push({ path, text: maskText(file.text) });
  const before = bag.all.length;
  const [document, second] = parse([file], bag);
  if (bag.all.length > before) return undefined;
  if (document === undefined) bag.report('invalid-bootstrap', start(path), { reason: 'it is empty' });
  else if (second !== undefined) bag.report('invalid-bootstrap', second.start, { reason: 'it has a second document' });
  return document && readUserMessage(document, bag);
}

function start(file: string): { readonly file: string; readonly start: number; readonly end: number } {
  return { file, start: 0, end: 0 };
}

async function readText(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new BootstrapError(`cannot read "${path}", which ${setting} names`, { cause });
  }
}
