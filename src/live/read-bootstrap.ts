import { type BootstrapTexts, parseUserBootstrap, type UserBootstrap } from '../compiler/render/user-bootstrap.ts';
import { maskText } from '../config/redact.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { WorldFailure } from '../lib/failure.ts';
import { readNamedText } from '../lib/read-file.ts';
import type { SourceFile } from '../source/document.ts';

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
  paths: BootstrapPaths,
  bag: DiagnosticBag,
  texts: SourceFile[],
): Promise<UserBootstrap> {
  const files = await readBootstrapTexts(paths);
  texts.push(...shownTexts(files));
  return parseUserBootstrap(files, bag);
}

/** Reads both, and parses neither. A missing file is thrown. */
export async function readBootstrapTexts({ custom, override }: BootstrapPaths): Promise<BootstrapTexts> {
  return {
    custom: custom === undefined ? undefined : await readFileOf(custom, 'customConfigFile'),
    override: override === undefined ? undefined : await readFileOf(override, 'MESH_BOOTSTRAP_OVERRIDE'),
  };
}

/** What diagnostics that point into them may show: no secrets. */
export function shownTexts({ custom, override }: BootstrapTexts): readonly SourceFile[] {
  return [custom, override].flatMap((file) => file ?? []).map(({ path, text }) => ({ path, text: maskText(text) }));
}

async function readFileOf(path: string, setting: string): Promise<SourceFile> {
  try {
    return { path, text: await readNamedText(path, 'utf8') };
  } catch (cause) {
    throw new BootstrapError(`cannot read "${path}", which ${setting} names`, { cause });
  }
}
