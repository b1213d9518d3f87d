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
import { contentVersion } from '../../xds/resource.ts';
import { ResourceStore } from '../../xds/resource-store.ts';
import { StreamRefusal } from '../../xds/scope.ts';
import { addDiscoveryService } from '../../xds/service.ts';
import { setType } from '../../xds/whole-sets.ts';
import { createLog } from '../log/log.ts';
import { configurationLists } from './configuration.ts';
import { FetchedSecrets } from './fetched-secrets.ts';
import { Upstream } from './upstream.ts';

const spiffeId = 'spiffe://cluster.local/ns/foo/sa/httpbin';
const resource = { name: 'a', version: contentVersion('a'), body: Buffer.from('a') };

describe('Upstream, with a control plane that knows no digests', () => {
  let ca: MeshCa;
  let server: Server;
  let port: number;
  let firsts: DeltaRequest[];
  let stores: Readonly<Record<ConfigurationList, ResourceStore>>;
  let upstream: Upstream | undefined;

  beforeEach(async () => {
    firsts = [];
    const store = (list: ConfigurationList) => {
      const made = new ResourceStore(configurationTypes[list]);
      made.replace([resource]);
      return [list, made];
    };
    stores = Object.fromEntries(configurationLists.map(store));
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

  const admit: Parameters<typeof aggregatedService>[0] = (_call, first) => {
    firsts.push(first as DeltaRequest);
    if (first.typeUrl === setType) throw new StreamRefusal(status.INVALID_ARGUMENT, 'request not understood');
    return {
      ...{ steps: configurationSteps, stepTimeoutMs: 5_000, mostNames: () => 100, onChange: () => () => undefined },
      sourceOf: (typeUrl) => Object.values(stores).find(({ type }) => type.typeUrl === typeUrl),
    };
  };

  test('sends its names and versions on its next stream, and gets nothing', async () => {
    const taken: string[] = [];
    const states: boolean[] = [];
    const { certificateChain, privateKey, rootCertificate } = await ca.issue(spiffeId);
    upstream = new Upstream({
      address: `localhost:${port}`,
      node: async () => ({ id: 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local', envoyVersion: '1.40.0' }),
      view: (list) => stores[list].view,
      secrets: new FetchedSecrets(),
      faults: { begin: () => undefined, take: () => undefined },
      names: { versions: {}, take: () => undefined, clear: () => undefined },
      take: (list) => void taken.push(list),
      synced: (isSynced) => void states.push(isSynced),
      log: createLog({ isJson: false, level: 'error', write: () => undefined }),
      clock: systemClock,
    });
    upstream.takeIdentity({
      ...{ spiffeId, certificateChain, privateKey, rootCertificates: rootCertificate },
      ...{ notAfterMs: Date.now() + 3_600_000, serialNumber: '1' },
    });
    // The second stream ends because it asks for faults, of which this control plane knows nothing either; then it asks no more.
    await eventually(() => expect(states).toEqual([false, true, false, false, true]));
    const { typeUrl } = configurationTypes.clusters;
    expect(firsts.map((first) => first.typeUrl)).toEqual([setType, typeUrl, setType, typeUrl]);
    expect(firsts[1]?.initialVersions).toEqual({ a: resource.version });
    expect(taken).toEqual([]);
  });
});
