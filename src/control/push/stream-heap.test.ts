import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const program = resolve(import.meta.dirname, '../testing/stream-heap.ts');

// Of 10 KB that row 22 of the performance page allows, what gRPC keeps of messages, trackers and records of clients take the rest.
test('a stream at rest takes at most 3.5 KB of heap for what it is served and what its client has', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' });
  expect(Number(stdout), stderr).toBeGreaterThan(1_000);
  expect(Number(stdout)).toBeLessThan(3_584);
});
