import { describe, expect, test } from 'vitest';
import type { ClusterAccess, ExecPlugin } from './cluster-access.ts';
import { runPlugin } from './exec-plugin.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const credential = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 't' } });
const pluginOf = (script: string): ExecPlugin => ({
  ...{ apiVersion, command: 'sh', args: ['-c', script], environment: {} },
  ...{ wantsCluster: false, installHint: undefined },
});
const run = (script: string) => runPlugin(pluginOf(script), {} as ClusterAccess, undefined);

describe('runPlugin', () => {
  test('uses the credential of a plugin that leaves a process behind, which keeps its output open', async () => {
    const before = performance.now();
    expect(await run(`sleep 20 & echo '${credential}'`)).toMatchObject({ token: 't' });
    expect(performance.now() - before).toBeLessThan(19_000);
  });

  test.each(['', '>&2'])('ends a plugin that writes without end %s', async (where) => {
    await expect(run(`exec cat /dev/zero ${where}`)).rejects.toThrow('"sh": it wrote more than 1048576 bytes');
  });
});
