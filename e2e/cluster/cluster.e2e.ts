import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../src/testbed/until.ts';
import { openKubectl } from '../../src/testing/kubernetes/kubectl.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { type StartedScript, startScript, untilGone } from '../testing/started-script.ts';

describeMesh('make cluster', () => {
  let script: StartedScript;

  beforeAll(async () => {
    script = await startScript('cluster');
  });
  afterAll(async () => {
    script.child.kill('SIGKILL');
    await script.ended;
  });

  const untilSaid = (pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> => {
    const probe = async (): Promise<RegExpExecArray | undefined> => {
      const said = pattern.exec(script.output());
      if (said === null && script.child.exitCode !== null) throw new Error(`it ended: ${script.output()}`);
      return said ?? undefined;
    };
    return until(probe, { timeoutMs, otherwise: async () => `no ${pattern} in ${script.output()}` });
  };

  test('shows the outcome table with policies that kubectl applies to a real API server', async () => {
    await untilSaid(/every outcome is as specified/, 540_000);
    expect(script.output().match(/^ {2}ok /gm)).toHaveLength(30);
    expect(script.output().match(/kubectl apply .*: at every proxy \d+ ms later/g)).toHaveLength(4);
  }, 600_000);

  test('shows each outcome that a policy of the user changes', async () => {
    const [, kubeconfig = ''] = await untilSaid(/export KUBECONFIG=(\S+)/, 60_000);
    const kubectl = await openKubectl(kubeconfig);
    await untilSaid(/6 outcomes:/, 60_000);
    await kubectl(['apply', '-f', 'examples/first-mesh/policies/mesh-strict.yaml']);
    await untilSaid(
      /2 outcomes:\n +legacy\/curl -> foo\/httpbin +000, exit 56\n +legacy\/curl -> bar\/httpbin +000/,
      60_000,
    );
  });

  test('leaves nothing behind after Ctrl-C', async () => {
    script.child.kill('SIGINT');
    expect(await script.ended).toBe(0);
    await untilGone(script);
  });
});
