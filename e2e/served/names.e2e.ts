import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizationPolicy, pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import type { ServedSource } from './served-fleet.ts';
import { createServedMesh, type ServedMesh } from './served-mesh.ts';

const namespace = 'foo';
const objects = [
  pod({ namespace, name: 'client', index: 11 }),
  pod({ namespace, name: 'server', index: 12, ports: { http: 8_000 } }),
  service({ namespace, name: 'server', index: 12, ports: { http: 8_000 } }),
];
const denied = authorizationPolicy({ namespace, name: 'closed', app: 'server', action: 'DENY', rules: [{}] });
const other = service({ namespace, name: 'other', index: 40, ports: { http: 8_000 } });

/** `meshd` may listen on the port of DNS over TLS. */
const source: ServedSource = {
  prepare: async ({ sandbox }, { network }) => {
    await sandbox.must(['sysctl', '-qw', 'net.ipv4.ip_unprivileged_port_start=1'], { network });
  },
};

/** Asks the agent as the application does; prints the addresses, or the name of the failure, of each name. */
const asker = `
const resolver = new (require('node:dns').promises.Resolver)({ timeout: 10000, tries: 1 });
resolver.setServers(['127.0.0.1:15053']);
Promise.all(process.argv.slice(1).map((name) => resolver.resolve4(name).catch(({ code }) => [code])))
  .then((found) => console.log(found.flat().join(' ')));
`;

describeMesh('an agent that answers DNS, served by meshd', () => {
  let mesh: ServedMesh;
  beforeAll(async () => {
    mesh = await createServedMesh({
      topology: topologyText(objects),
      policies: {},
      mannerOf: () => ({ via: 'agent', form: 'delta' }),
      env: { DNS_AGENT: 'true' },
      source,
    });
  });
  afterAll(() => mesh?.close());

  const names = ['server', 'other'].map((name) => `${name}.foo.svc.cluster.local`);
  const resolved = async (): Promise<string> => {
    const place = { network: 'foo-client', timeoutMs: 60_000 };
    return (await mesh.testbed.sandbox.must([node, '-e', asker, ...names], place)).trim();
  };
  const status = async (): Promise<string> =>
    (await mesh.testbed.request({ from: 'foo/client', to: 'server.foo' })).status;

  // Also where one of the two is older and knows no names as resources (`make old-and-new`).
  test('resolves the names of the mesh, and gets every change, also once meshd was killed and is back', async () => {
    const [plane] = mesh.fleet.planes;
    await eventually(async () => expect(await resolved()).toBe('10.96.0.12 ENOTFOUND'));
    expect(await status()).toBe('200');
    await mesh.testbed.apply({ 'changes.yaml': topologyText([denied, other]) });
    await eventually(async () => expect([await status(), await resolved()]).toEqual(['403', '10.96.0.12 10.96.0.40']));

    await plane?.kill();
    await plane?.start();
    await mesh.testbed.remove('changes.yaml');
    await eventually(async () => expect([await status(), await resolved()]).toEqual(['200', '10.96.0.12 ENOTFOUND']));
  });
});
