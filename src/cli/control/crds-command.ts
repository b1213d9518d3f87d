import { defineKind } from '../../definitions/define-kind.ts';
import { type DefinedKind, definedKinds } from '../../definitions/defined-kinds.ts';
import { nearest } from '../../lib/nearest.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type OutputFormat, textOf } from '../../output/format.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import { printOut } from '../io.ts';

export interface CrdsOptions {
  readonly output: OutputFormat;
  readonly keepUnknownFields?: true;
}

/** `meshd crds [KIND...]`: definitions of kinds, as `kubectl apply` takes them; the same bytes for the same build. */
export async function runCrds(kinds: readonly string[], options: CrdsOptions): Promise<ExitCode> {
  const keepsUnknown = options.keepUnknownFields === true;
  const items = chosen(kinds).map((kind) => defineKind(kind, { keepsUnknown }));
  const text =
    options.output === 'json'
      ? textOf({ apiVersion: 'v1', kind: 'List', items }, 'json')
      : items.map((item) => `---\n${textOf(item, 'yaml')}`).join('');
  await printOut(text);
  return exitCode.done;
}

/** In the order of their names, each once; without a choice all. */
function chosen(kinds: readonly string[]): readonly DefinedKind[] {
  const wanted = new Set(kinds.map(knownName));
  return wanted.size === 0 ? definedKinds : definedKinds.filter(({ kind }) => wanted.has(kind));
}

function knownName(kind: string): string {
  const names = definedKinds.map((defined) => defined.kind);
  const name = names.find((candidate) => candidate.toLowerCase() === kind.toLowerCase());
  if (name !== undefined) return name;
  const guess = nearest(kind, names);
  const hint = guess === undefined ? `the kinds are ${names.join(', ')}` : `did you mean "${guess}"?`;
  throw new UsageError(`no definition for "${kind}": ${hint}`);
}
