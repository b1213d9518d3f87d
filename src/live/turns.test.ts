import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../agent/log/log.ts';
import { podMesh } from '../cli/agent/testing/sample-mesh.ts';
import { createCompileProxy } from './compile-proxy.ts';
import { FetchedKeySets } from './key-sets/remote.ts';
import { readInPieces } from './turns.ts';

/** Turns of the event loop since the test began. */
let turns: number;
let next: NodeJS.Immediate;
beforeEach(() => {
  turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
});
afterEach(() => clearImmediate(next));

describe('reading in pieces', () => {
  test('lets a probe be answered after each piece that takes long', async () => {
    const seen: number[] = [];
    const read = (): readonly [] => {
      seen.push(turns);
      for (const since = performance.now(); performance.now() - since < 60; );
      return [];
    };
    await readInPieces(
      { read },
      ['a', 'b', 'c'].map((path) => ({ path, text: '' })),
    );
    expect(seen).toHaveLength(3);
    const pauses = seen.slice(1).map((at, i) => at - (seen[i] ?? 0));
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(4);
  });
});

/** Tells when the agent has its keys, the last thing before it renders. */
class ObservedKeySets extends FetchedKeySets {
  readonly settledAt: number[] = [];

  override async fetch(rules: Parameters<FetchedKeySets['fetch']>[0]): Promise<void> {
    await super.fetch(rules);
    this.settledAt.push(turns);
  }
}

describe('the compilation of an agent', () => {
  test('lets a probe be answered before it compiles, before it writes and before it is told', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turns-'));
    writeFileSync(join(folder, 'inputs.yaml'), podMesh('10.1.0.1'));
    const log = createLog({ isJson: false, level: 'none', write: () => undefined });
    const keySets = new ObservedKeySets({ allowedHosts: [], log, onFetch: () => undefined });
    let toldAt = 0;
    const { compile } = createCompileProxy({
      settings: { environment: {} },
      policies: [folder],
      watched: [],
      templateFile: undefined,
      identity: { namespace: 'foo', name: 'httpbin', ip: '10.1.0.1', domain: undefined },
      role: 'sidecar',
      fallbackSecret: 'none',
      keySets,
      onFigures: () => {
        toldAt = turns;
      },
    });
    expect(await compile()).toHaveProperty('files');
    keySets.close();
    rmSync(folder, { recursive: true, force: true });
    expect(keySets.settledAt).toHaveLength(1);
    expect(toldAt - (keySets.settledAt[0] ?? 0)).toBeGreaterThanOrEqual(3 * 4);
  });
});
