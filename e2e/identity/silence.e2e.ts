import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { createIdentityMesh, type IdentityMesh } from './identity-mesh.ts';
import { failuresOf, startCalls, untilRotated } from './watching.ts';

describeMesh('a mesh where nobody answers for two renewals', () => {
  let mesh: IdentityMesh;
  beforeAll(async () => {
    mesh = await createIdentityMesh({ lifetime: '12s', graceRatio: 0.85 });
  });
  afterAll(() => mesh?.testbed.close());

  /** Packets to the control plane vanish in the hub. */
  const filter = async (change: '-I' | '-D'): Promise<void> => {
    const rule = `FORWARD -d 10.77.0.5 -p tcp --dport 15012 -j DROP`;
    const script = `PATH="$PATH:/usr/sbin:/sbin"; iptables -w 10 ${change} ${rule}; ip6tables -w 10 ${change} ${rule.replace('10.77.0.5', 'fd77::5')}`;
    await mesh.testbed.sandbox.must(['sh', '-ec', script]);
  };
  const agents = () => ['foo/server', 'foo/client'].map((pod) => mesh.testbed.sidecar(pod).program);

  const silences: readonly (readonly [string, silence: () => Promise<unknown>, end: () => Promise<unknown>])[] = [
    ['the network swallows packets to meshd', () => filter('-I'), () => filter('-D')],
    ['meshd hangs', () => mesh.plane.freeze(), () => mesh.plane.thaw()],
    [
      'the agents sleep',
      () => Promise.all(agents().map((agent) => agent.signal('STOP'))),
      () => Promise.all(agents().map((agent) => agent.signal('CONT'))),
    ],
  ];
  test.each(silences)(
    'because %s fails no request, and renews within its certificates after it',
    async (_, silence, end) => {
      const load = await startCalls(mesh);
      await silence();
      const { length } = await mesh.plane.issued();
      await delay(4_500);
      expect((await mesh.plane.issued()).length - length).toBeLessThanOrEqual(2);
      await end();
      await untilRotated(mesh);
      expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
    },
  );
});
