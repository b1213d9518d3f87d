import { expect, test } from 'vitest';
import * as make from '../../testing/objects.ts';
import { meshWorkload } from '../../testing/topology.ts';
import { PeerIndex } from './peer-index.ts';

test('PeerIndex looks at the policies of a workload once, however often it is asked', () => {
  let read = 0;
  const policy = make.peerAuthentication('shop/strict', { mtls: { mode: 'STRICT' } });
  const policies = Array.from({ length: 20 }, () => ({
    ...policy,
    get spec() {
      read += 1;
      return { ...policy.spec, selector: { matchLabels: { app: 'web' } } };
    },
  }));
  const index = new PeerIndex(policies, 'mesh-system');
  const workload = meshWorkload('shop/web', [], { labels: { app: 'web' } });
  expect(index.levelsOf(workload).workload).toHaveLength(20);
  const once = read;
  for (let i = 0; i < 100; i += 1) index.levelsOf(workload);
  expect(read).toBe(once);
});
