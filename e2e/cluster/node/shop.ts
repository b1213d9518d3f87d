/** The mesh of the tests of an installation: a caller, a service with its rules, and a gateway, each a Deployment. */

const meshed = { 'mesh-injection': 'enabled' };

function namespace(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: meshed } };
}

function account(namespace: string, name: string): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

interface Template {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly containers: readonly object[];
}

function deployment(namespace: string, name: string, { annotations, containers }: Template): object {
  const labels = { app: name };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } },
    spec: {
      ...{ replicas: 1, selector: { matchLabels: labels } },
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels, ...(annotations && { annotations }) },
        spec: { serviceAccountName: name, containers },
      },
    },
  };
}

/** A server that goes on answering while endpoints are told that its pod ends. */
const application = {
  ...{ name: 'app', image: 'application:1', ports: [{ name: 'http', containerPort: 8080 }] },
  env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 1 },
  lifecycle: { preStop: { sleep: { seconds: 5 } } },
};

const service = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 8000, targetPort: 'http' }] },
};

const policies = [
  {
    ...{
      apiVersion: 'security.mesh.io/v1',
      kind: 'PeerAuthentication',
      metadata: { name: 'strict', namespace: 'shop' },
    },
    spec: { mtls: { mode: 'STRICT' } },
  },
  {
    ...{
      apiVersion: 'security.mesh.io/v1',
      kind: 'AuthorizationPolicy',
      metadata: { name: 'callers', namespace: 'shop' },
    },
    spec: { rules: [{ from: [{ source: { namespaces: ['clients', 'edge'] } }] }] },
  },
  {
    ...{ apiVersion: 'networking.mesh.io/v1', kind: 'Gateway', metadata: { name: 'front', namespace: 'edge' } },
    spec: {
      selector: { app: 'gateway' },
      servers: [{ port: { number: 8080, name: 'http', protocol: 'HTTP' }, hosts: ['*'] }],
    },
  },
  {
    ...{ apiVersion: 'networking.mesh.io/v1', kind: 'VirtualService', metadata: { name: 'front', namespace: 'edge' } },
    spec: {
      ...{ hosts: ['*'], gateways: ['front'] },
      http: [{ route: [{ destination: { host: 'web.shop.svc.cluster.local', port: { number: 8000 } } }] }],
    },
  },
];

/** All objects, as one list. */
export const shop = {
  ...{ apiVersion: 'v1', kind: 'List' },
  items: [
    ...['shop', 'clients', 'edge'].map(namespace),
    ...[account('shop', 'web'), account('clients', 'client'), account('edge', 'gateway'), service],
    deployment('shop', 'web', { containers: [application] }),
    deployment('clients', 'client', { containers: [application] }),
    deployment('edge', 'gateway', {
      annotations: { 'inject.mesh.io/templates': 'gateway' },
      containers: [{ name: 'mesh-proxy', image: 'auto', ports: [{ containerPort: 8080 }] }],
    }),
    ...policies,
  ],
};
