import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizationPolicy, topologyText } from '../../src/testbed/mesh-objects.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import { manners } from '../load/counts.ts';
import { startLoad } from '../load/load.ts';
import { byAddress, direct, ownTls } from '../load/load-mesh.ts';
import { openLoadBench } from '../load/under-load.ts';
import { describeMesh } from '../testing/describe-mesh.ts';

/** On a resumed session Envoy does not take the client's certificate for validated: rules about identities miss it. */
describeMesh('a client that would resume its TLS sessions', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    ({ testbed } = await openLoadBench(1));
  });
  afterAll(() => testbed?.close());

  test.each([
    ['DENY', 'refused', ['403 RBAC: access denied']],
    ['ALLOW', 'let through', []],
  ] as const)('is what %s of its namespace says on every connection: %s', async (action, _what, reasons) => {
    const rules = [{ from: [{ source: { namespaces: ['legacy'] } }] }];
    const policy = authorizationPolicy({ namespace: 'foo', name: 'legacy', app: 'server', action, rules });
    await testbed.apply({ 'policy.yaml': topologyText([policy]) });
    const tls = await ownTls(testbed.ca);
    const load = await startLoad(testbed.sandbox, { network: direct, targets: [byAddress(0)], tls, limit: 50 });
    const { manners: counted } = await load.ended;
    expect(manners.map((manner) => Object.keys(counted[manner].reasons))).toEqual(manners.map(() => reasons));
    const failed = reasons.length === 0 ? 0 : 50;
    expect(manners.map((manner) => counted[manner].failed)).toEqual([failed, failed, failed]);
  });
});
