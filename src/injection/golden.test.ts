import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Diagnostic } from '../diagnostics/bag.ts';
import { textOf } from '../output/format.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import type { JsonObject } from '../source/document.ts';
import { skipTexts } from './decide.ts';
import { inject } from './inject.ts';
import type { PodObject } from './pod.ts';
import { statusKey } from './status.ts';
import { type FixturePod, fixturePods } from './testing/fixture-pods.ts';

const folder = 'golden/injection';
const isUpdate = process.env.UPDATE_GOLDEN === '1';
const pods = fixturePods();
const base = 'shapes/plain';

describe('injection', () => {
  const plain = pods.find(({ name }) => name === base);
  if (plain === undefined) throw new Error(`there is no ${base}`);
  const plainText = textOf(injected(plain), 'yaml');

  beforeAll(() => {
    if (isUpdate) rmSync(folder, { recursive: true, force: true });
  });

  test.each(pods)('makes of $name what its golden says', (pod) => {
    const path = join(folder, `${pod.name}.txt`);
    const text = outcome(pod, plainText);
    if (isUpdate) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : '');
  });

  test('has no golden without its pod', () => {
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
    expect(found.sort()).toEqual(pods.map(({ name }) => `${name}.txt`).sort());
  });
});

/** Warnings, and the injected pod: whole for the plainest one, else how it differs from that. */
function outcome(pod: FixturePod, plainText: string): string {
  const injection = inject(pod.target, pod.settings);
  if (injection.kind === 'refused') return `refused\n${lines(injection.diagnostics)}`;
  const warnings = lines(injection.warnings);
  if (injection.kind === 'skipped') return `skipped: ${skipTexts[injection.reason]}\n${warnings}`;
  const text = textOf(injected(pod), 'yaml');
  return `injected\n${warnings}${pod.name === base ? text : unifiedDiff('pod.yaml', plainText, text)}`;
}

function lines(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map(({ severity, message, code, hint }) => `${severity}: ${message} [${code}]${hint ? `\n  hint: ${hint}` : ''}\n`)
    .join('');
}

/** Without the part of the status that tells how to take the injection back: a test of its own shows it. */
function injected({ target, settings }: FixturePod): PodObject {
  const injection = inject(target, settings);
  if (injection.kind !== 'injected') throw new Error('the pod is not injected');
  const { pod } = injection;
  const metadata = pod.metadata as JsonObject & { readonly annotations: Record<string, string> };
  const { undo, ...status } = JSON.parse(metadata.annotations[statusKey] ?? '{}');
  const annotations = { ...metadata.annotations, [statusKey]: JSON.stringify(status) };
  return { ...pod, metadata: { ...metadata, annotations } };
}
