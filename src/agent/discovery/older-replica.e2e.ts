import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { createMeshCa, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import {
  aggregatedService,
  type ConfigurationList,
  configurationSteps,
  configurationTypes,
} from '../../xds/aggregated-service.ts';
import type { DeltaRequest } from '../../xds/message.ts';
import { positionName } from '../../xds/position.ts';
import { faultType } from '../../xds/proxy-faults.ts';
import { contentVersion } from '../../xds/resource.ts';
import { ResourceStore } from '../../xds/resource-store.ts';
import { emptyView } from '../../xds/resource-view.ts';
import { StreamRefusal } from '../../xds/scope.ts';
import { addDiscoveryService } from '../../xds/service.ts';
import { createLog } from '../log/log.ts';
import { configurationLists } from './configuration.ts';
import { FetchedSecrets } from './fetched-secrets.ts';
import { Upstream } from './upstream.ts';

const spiffeId = 'spiffe://cluster.local/ns/foo/sa/httpbin';
const resource = (text: string) => ({ name: 'a', version: contentVersion(text), body: Buffer.from('\n\u0001a') });
type Stores = Readonly<Record<ConfigurationList, ResourceStore>>;
const storesOf = (text: string): Stores =>
  Object.fromEntries(
    configurationLists.map((list) => {
      const store = new ResourceStore(configurationTypes[list]);
      store.replace([resource(text)]);
      return [list, store];
    }),
  ) as unknown as Stores;

describe('Upstream, that keeps what the control plane said of its state', () => {
  let ca: MeshCa;
  let server: Server;
  let port: number;
  let told: { readonly position: string | undefined; readonly ms: number }[];
  let upstream: Upstream;
  let position = '';

  beforeEach(async () => {
    told = [];
    ca = await createMeshCa();
    const own = await ca.issue('', { uris: [], dnsNames: ['localhost'] });
    const pair = { private_key: Buffer.from(own.privateKey), cert_chain: Buffer.from(own.certificateChain) };
    server = new Server();
    addDiscoveryService(server, aggregatedService(admit), {}, new Set());
    const credentials = ServerCredentials.createSsl(Buffer.from(ca.rootCertificate), [pair], true);
    port = await new Promise((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
    );
  });
  afterEach(async () => {
    await upstream?.close();
    server.forceShutdown();
  });

  /** A replica that has read less than `x.z`, and reads nothing more. */
  const admit: Parameters<typeof aggregatedService>[0] = (_call, first) => {
    const asked = (first as DeltaRequest).initialVersions[positionName];
    told.push({ position: asked, ms: performance.now() });
    if (asked === 'x.z') throw new StreamRefusal(status.FAILED_PRECONDITION, 'this replica has read less');
    const stores = storesOf('served');
    return {
      ...{ steps: configurationSteps, stepTimeoutMs: 5_000, mostNames: () => 100, onChange: () => () => undefined },
      sourceOf: (typeUrl) => {
        if (typeUrl === faultType.typeUrl) return { type: faultType, view: emptyView };
        const store = Object.values(stores).find(({ type }) => type.typeUrl === typeUrl);
        return store && { type: store.type, view: store.view, position };
      },
    };
  };

  async function follow(before: string): Promise<string[]> {
    const taken: string[] = [];
    const stores = storesOf('had');
    const { certificateChain, privateKey, rootCertificate } = await ca.issue(spiffeId);
    upstream = new Upstream({
      address: `localhost:${port}`,
      node: async () => ({ id: 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local', envoyVersion: '1.40.0' }),
      view: (list) => stores[list].view,
      secrets: new FetchedSecrets(),
      faults: { begin: () => undefined, take: () => undefined },
      names: { versions: {}, take: () => undefined, clear: () => undefined },
      take: (list, _response, answer) => {
        taken.push(list);
        answer(undefined);
      },
      synced: () => undefined,
      log: createLog({ isJson: false, level: 'error', write: () => undefined }),
      clock: systemClock,
    });
    upstream.restorePosition(before);
    upstream.takeIdentity({
      ...{ spiffeId, certificateChain, privateKey, rootCertificates: rootCertificate },
      ...{ notAfterMs: Date.now() + 3_600_000, serialNumber: '1' },
    });
    return taken;
  }

  test('tells it to a replica, and takes over what that one says', async () => {
    position = 'x.8';
    await follow('x.7');
    await eventually(() => expect(upstream.position).toBe('x.8'));
    expect(told.map((each) => each.position)).toEqual(['x.7']);
  });

  test('asks a replica that has read less again for five seconds, takes nothing from it, and after that what it has', async () => {
    position = 'x.1';
    const taken = await follow('x.z');
    await eventually(() => expect(told.length).toBeGreaterThan(2));
    expect(taken).toEqual([]);
    await eventually(() => expect(upstream.position).toBe('x.1'));
    const refused = told.filter((each) => each.position === 'x.z');
    expect(told.slice(refused.length)).toMatchObject([{ position: undefined }]);
    const [first, last] = [refused[0]?.ms ?? 0, told.at(-1)?.ms ?? 0];
    expect(last - first).toBeGreaterThanOrEqual(4_900);
    expect(taken).toContain('listeners');
  });
});
