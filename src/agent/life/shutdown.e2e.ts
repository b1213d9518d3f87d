import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type EnvoyProcess, spawnEnvoy } from '../../envoy/process.ts';
import { createLog } from '../log/log.ts';
import { terminate } from './shutdown.ts';

const log = createLog({ isJson: false, level: 'none', write: () => undefined });

/** What the real Envoy never does: it says that it is there, and ends at SIGTERM only when it is told to. */
async function startFake(onTerm: 'ignores' | 'obeys'): Promise<EnvoyProcess> {
  const handler = onTerm === 'ignores' ? '() => {}' : '() => process.exit(7)';
  const script = `process.on('SIGTERM', ${handler}); console.log('up'); setInterval(() => {}, 1000);`;
  const fake = await spawnEnvoy({ binary: process.execPath, args: ['-e', script], output: 'pipe' });
  if (fake.stdout !== null) await once(fake.stdout, 'data');
  return fake;
}

describe('terminate', () => {
  const never = new AbortController().signal;

  test('gives the exit of a process that ends by itself', async () => {
    expect(await terminate(await startFake('obeys'), never, log)).toEqual({ code: 7, signal: null });
  });

  test('kills after two seconds what ignores SIGTERM', async () => {
    const fake = await startFake('ignores');
    const startedAt = performance.now();
    expect(await terminate(fake, never, log)).toEqual({ code: null, signal: 'SIGKILL' });
    expect(performance.now() - startedAt).toBeGreaterThan(1_950);
  });

  test('kills Envoy at once when the signal to hurry is aborted', async () => {
    const fake = await startFake('ignores');
    const startedAt = performance.now();
    await terminate(fake, AbortSignal.abort(), log);
    expect(performance.now() - startedAt).toBeLessThan(1_900);
  });
});
