import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { meshService, meshTopology } from '../../testing/topology.ts';
import type { Workload } from '../topology/model.ts';
import { meshJson } from './mesh-json.ts';

const service = meshService('shop/api', {
  endpoints: [
    {
      servicePort: 8000,
      address: '10.0.0.7',
      port: 8080,
      labels: {},
      identity: 'spiffe://cluster.local/ns/shop/sa/api',
      workload: { namespace: 'shop', name: 'api' },
      hasSidecar: true,
      weight: undefined,
      locality: undefined,
    },
  ],
});

const [port] = service.ports;
const workload: Workload = {
  namespace: 'shop',
  name: 'api',
  kind: 'Pod',
  labels: {},
  annotations: {},
  serviceAccount: 'api',
  identity: 'spiffe://cluster.local/ns/shop/sa/api',
  role: 'sidecar',
  addresses: ['10.0.0.7'],
  families: ['ipv4'],
  isReady: true,
  namedPorts: {},
  interceptionMode: 'TPROXY',
  locality: undefined,
  object: service.object,
  targets: port === undefined ? [] : [{ service, port, targetPort: 8080 }],
};

const topology = meshTopology({ services: [meshService('shop/web'), service], workloads: [workload] });

describe('meshJson', () => {
  test('says who there is: identities, addresses, ports, and the services before them, by host', () => {
    expect(meshJson(topology, defaultSettings)).toMatchObject({
      trustDomain: 'cluster.local',
      workloads: [
        {
          namespace: 'shop',
          name: 'api',
          role: 'sidecar',
          identity: 'spiffe://cluster.local/ns/shop/sa/api',
          addresses: ['10.0.0.7'],
          interceptionMode: 'TPROXY',
          ports: [{ service: 'api.shop.svc.cluster.local', port: 8000, protocol: 'http', targetPort: 8080 }],
        },
      ],
      services: [
        {
          host: 'api.shop.svc.cluster.local',
          endpoints: [
            { servicePort: 8000, address: '10.0.0.7', port: 8080, workload: { namespace: 'shop', name: 'api' } },
          ],
        },
        { host: 'web.shop.svc.cluster.local' },
      ],
    });
  });

  test('says what redirection catches', () => {
    const settings = { ...defaultSettings, proxy: { ...defaultSettings.proxy, statusPort: 15999 } };
    expect(meshJson(topology, settings).capture).toEqual({
      inboundPort: 15006,
      outboundPort: 15001,
      interceptionMode: 'REDIRECT',
      excludedInboundPorts: [15021, 15090, 15999],
    });
  });
});
