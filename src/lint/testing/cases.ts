import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import type { Snapshot } from '../../compiler/snapshot.ts';
import { readSettings } from '../../config/read.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import type { UnreadObject } from '../../policy/unread-object.ts';
import { partialInput } from '../partial-input.ts';

const folder = 'fixtures/lint';

/** One shape of a fault: the example that has it, and its near-identical twin that has not. */
export interface RuleCase {
  readonly code: string;
  readonly shape: string;
}

/** Names of the rules that have cases, sorted. */
export function rulesWithCases(): readonly string[] {
  return readdirSync(folder).sort();
}

/** The shapes of a rule: `<shape>.bad.yaml` with `<shape>.good.yaml` beside it. */
export function casesOf(code: string): readonly RuleCase[] {
  const names = existsSync(join(folder, code)) ? readdirSync(join(folder, code)).sort() : [];
  return names.flatMap((name) => {
    const shape = /^(.*)\.bad\.yaml$/.exec(name)?.[1];
    return shape === undefined ? [] : [{ code, shape }];
  });
}

/** Text of one example; that of a fixed one when `text` says so. */
export interface Example {
  readonly path: string;
  readonly text: string;
  readonly snapshot: Snapshot;
  /** Lines, counted from 1, that end in the comment `# finding`. */
  readonly marked: readonly number[];
}

/**
 * Reads `<shape>.<side>.yaml`, under `<shape>.<side>.config.yaml` and the variables of `<shape>.<side>.env` where these
 * are there.
 */
export async function readExample({ code, shape }: RuleCase, side: 'bad' | 'good', changed?: string): Promise<Example> {
  const path = join(folder, code, `${shape}.${side}.yaml`);
  const text = changed ?? readFileSync(path, 'utf8');
  const bag = new DiagnosticBag();
  const config = join(folder, code, `${shape}.${side}.config.yaml`);
  const { settings, sources } = await readSettings(
    {
      meshConfig: existsSync(config) ? { path: config, isRequired: true } : undefined,
      environment: variablesOf(join(folder, code, `${shape}.${side}.env`)),
    },
    bag,
  );
  const files = [{ path, text }];
  const unread: UnreadObject[] = [];
  const objects = createObjectReader()(files, bag, (object) => void unread.push(object));
  const snapshot = createAnalyser(settings, { ...partialInput, unread })(objects, bag);
  if (snapshot === undefined) throw new Error(format(bag.all, [...files, ...sources], 'text'));
  const marked = text.split('\n').flatMap((line, i) => (line.endsWith('# finding') ? [i + 1] : []));
  return { path, text, snapshot, marked };
}

/** `NAME=value`, one a line. */
function variablesOf(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const lines = readFileSync(path, 'utf8').split('\n');
  return Object.fromEntries(lines.filter((line) => line.includes('=')).map((line) => line.split('=', 2)));
}

/** The findings of the other fixtures and examples that were looked at and are kept: `<place> — <reason>`, one a line. */
export function keptOf(code: string): readonly string[] {
  const path = join(folder, code, 'kept.txt');
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}
