import fc from 'fast-check';

/** A Sidecar without a name, as a test writes it; valid by itself and with others. */
export function sidecarObject() {
  const namespace = fc.constantFrom('mesh-system', 'a', 'a', 'b', 'c');
  const creationTimestamp = fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z');
  const metadata = fc.record({ namespace, creationTimestamp }, { requiredKeys: ['namespace'] });
  const spec = fc.record(
    {
      workloadSelector: fc.constantFrom({ labels: { app: 'web' } }, { labels: { app: 'api' } }),
      egress: fc.uniqueArray(egress(), { minLength: 1, maxLength: 3, selector: (listener) => listener.port?.number }),
      ingress: fc.uniqueArray(ingress(), { maxLength: 2, selector: ({ port }) => port.number }),
      outboundTrafficPolicy: fc.constantFrom({}, { mode: 'ALLOW_ANY' }, { mode: 'REGISTRY_ONLY' }),
    },
    { requiredKeys: [] },
  );
  return fc.record({
    apiVersion: fc.constant('networking.mesh.io/v1'),
    kind: fc.constant('Sidecar'),
    metadata,
    spec,
  });
}

const protocol = fc.constantFrom('HTTP', 'TCP', 'GRPC', 'TLS');
const hosts = fc.uniqueArray(fc.constantFrom('./*', 'a/*', '*/*.b.svc.cluster.local', '*/*', '~/*', 'c/*'), {
  minLength: 1,
  maxLength: 2,
});

interface Egress {
  readonly hosts: readonly string[];
  readonly port?: { readonly number: number; readonly protocol: string };
}

function egress(): fc.Arbitrary<Egress> {
  const port = fc.record({ number: fc.constantFrom(80, 8000, 9000), protocol });
  const place = fc.constantFrom({}, { bind: '192.0.2.1' }, { captureMode: 'NONE' });
  return fc.oneof(
    fc.record({ hosts }),
    fc.tuple(hosts, port, place).map(([imported, listened, rest]) => ({ hosts: imported, port: listened, ...rest })),
  );
}

function ingress() {
  const port = fc.record({ number: fc.constantFrom(8080, 9000, 9100), protocol });
  const defaultEndpoint = fc.constantFrom('127.0.0.1:18080', '[::1]:18081');
  return fc.record({ port, defaultEndpoint }, { requiredKeys: ['port'] });
}
