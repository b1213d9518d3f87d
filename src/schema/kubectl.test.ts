import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { ValidObject } from '../policy/policy.ts';
import { parse } from '../source/parse.ts';
import { validate } from './validate.ts';

/** Spec, and what stands beside it, of one object a kind, as a server prints it. */
const policies: Readonly<Record<string, { group: string; body: string }>> = {
  PeerAuthentication: {
    group: 'security',
    body: `spec: {selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {8080: {mode: DISABLE}}}`,
  },
  RequestAuthentication: {
    group: 'security',
    body: `
  spec:
    selector: {matchLabels: {istio: ingressgateway}}
    jwtRules:
    - issuer: testing@secure.example.com
      jwksUri: https://issuer.example.com:8443/keys.json
      audiences: [shop]
      fromHeaders: [{name: x-token, prefix: "Bearer "}]
      fromParams: [token]
      fromCookies: [session]
      outputPayloadToHeader: x-payload
      outputClaimToHeaders: [{header: x-group, claim: nested.group}]
      forwardOriginalToken: true
      timeout: 5s`,
  },
  AuthorizationPolicy: {
    group: 'security',
    body: `
  spec:
    action: DENY
    selector: {matchLabels: {app: web}}
    rules:
    - {}
    - from:
      - source:
          principals: [cluster.local/ns/shop/sa/web, "*"]
          notRequestPrincipals: ["*"]
          namespaces: [shop]
          ipBlocks: [10.0.0.0/8, "fd00::/8", 10.1.2.3]
          remoteIpBlocks: [192.168.0.1]
      to:
      - operation: {hosts: ["*.example.com"], ports: ["8080"], methods: [GET], paths: ["/1*"], notPaths: ["/b/{*}/c/{**}"]}
      when:
      - {key: "request.headers[User-Agent]", values: ["Mozilla/*"]}
      - {key: "request.auth.claims[group][nested]", notValues: [admin]}
      - {key: destination.port, values: ["80"]}`,
  },
  DestinationRule: {
    group: 'networking',
    body: `
  spec:
    host: "*.shop.svc.cluster.local"
    exportTo: ["."]
    trafficPolicy:
      tls: {mode: ISTIO_MUTUAL}
      loadBalancer: {consistentHash: {httpCookie: {name: user, ttl: 0s}}}
      connectionPool:
        tcp: {maxConnections: 100, connectTimeout: 30ms, tcpKeepalive: {time: 7200s, interval: 75s, probes: 3}}
        http: {http2MaxRequests: 1000, maxRequestsPerConnection: 10, h2UpgradePolicy: UPGRADE}
      outlierDetection: {consecutive5xxErrors: 7, interval: 5m, baseEjectionTime: 15m, maxEjectionPercent: 10}
      portLevelSettings:
      - port: {number: 80}
        loadBalancer: {simple: LEAST_CONN}
    subsets:
    - {name: v1, labels: {version: v1}, trafficPolicy: {loadBalancer: {simple: ROUND_ROBIN}}}`,
  },
  Gateway: {
    group: 'networking',
    body: `
  spec:
    selector: {istio: ingressgateway}
    servers:
    - port: {number: 80, name: http, protocol: HTTP}
      hosts: ["*"]
      tls: {httpsRedirect: true}
    - port: {number: 443, name: https, protocol: HTTPS}
      hosts: [shop/shop.example.com, "./b.example.com", "*/*.example.com"]
      tls: {mode: SIMPLE, credentialName: shop-cert, minProtocolVersion: TLSV1_2}
    - port: {number: 8443, name: tls, protocol: tls}
      hosts: ["*.internal.example.com"]
      tls: {mode: PASSTHROUGH}`,
  },
  VirtualService: {
    group: 'networking',
    body: `
  spec:
    hosts: [ratings, "*.example.com", 10.1.2.3]
    gateways: [mesh, web, istio-system/web]
    http:
    - match:
      - uri: {prefix: /v1}
        headers: {x-user: {exact: jason}, x-any: {}}
        queryParams: {q: {regex: "[a-z]+"}}
        ignoreUriCase: true
      rewrite: {uri: /}
      timeout: 10s
      retries: {attempts: 3, perTryTimeout: 2s, retryOn: "gateway-error,connect-failure,503"}
      fault: {delay: {percentage: {value: 0.1}, fixedDelay: 5s}}
      headers: {request: {set: {x-env: "100%%", host: a.example.com}}, response: {remove: [server]}}
      corsPolicy: {allowOrigins: [{exact: "https://example.com"}], allowMethods: [GET], maxAge: 24h}
      mirror: {host: shadow}
      mirrorPercentage: {value: 10}
      route:
      - {destination: {host: ratings, subset: v1, port: {number: 80}}, weight: 75}
      - {destination: {host: ratings, subset: v2}, weight: 25}
    - match: [{uri: {exact: /old}}]
      redirect: {uri: /new, redirectCode: 302}
    - route: [{destination: {host: ratings}}]
    tls:
    - match: [{port: 443, sniHosts: [a.example.com]}]
      route: [{destination: {host: ratings}}]
    tcp:
    - match: [{port: 3306, destinationSubnets: [10.0.0.0/8]}]
      route: [{destination: {host: ratings}}]`,
  },
  WorkloadGroup: {
    group: 'networking',
    body: `
  spec:
    metadata: {labels: {app: ratings}, annotations: {example.com/owner: shop}}
    template: {serviceAccount: ratings, ports: {http: 8080}, network: vms, weight: 2, locality: eu/a}`,
  },
  ServiceEntry: {
    group: 'networking',
    body: `
  spec:
    hosts: [api.example.com]
    addresses: [10.9.0.0/16]
    ports: [{number: 443, name: tls, protocol: TLS}]
    location: MESH_EXTERNAL
    resolution: STATIC
    endpoints: [{address: 10.9.1.1, ports: {tls: 8443}, labels: {version: v1}}]`,
  },
  WorkloadEntry: {
    group: 'networking',
    body: `spec: {address: 10.1.1.1, labels: {app: vm}, serviceAccount: vm, network: ""}`,
  },
};

const topology: Readonly<Record<string, string>> = {
  'v1 Namespace': `spec: {finalizers: [kubernetes]}`,
  'v1 ServiceAccount': `secrets: [{name: web-token}]`,
  'v1 Service': `
  spec:
    type: ClusterIP
    clusterIP: 10.0.0.1
    clusterIPs: [10.0.0.1]
    ipFamilyPolicy: SingleStack
    internalTrafficPolicy: Cluster
    sessionAffinity: None
    selector: {app: web}
    ports: [{name: http, port: 80, protocol: TCP, targetPort: 8080}, {name: m, port: 81, targetPort: metrics}]`,
  'v1 Pod': `
  spec:
    serviceAccountName: web
    restartPolicy: Always
    containers: [{name: web, image: web, ports: [{containerPort: 8080, protocol: TCP}], resources: {}}, {name: istio-proxy}]`,
  'v1 Endpoints': `
  subsets:
  - addresses: [{ip: 10.1.0.1, nodeName: n1, targetRef: {kind: Pod, name: web-1, namespace: shop, uid: a}}]
    ports: [{name: http, port: 8080, protocol: TCP}]`,
  'discovery.k8s.io/v1 EndpointSlice': `
  addressType: IPv4
  endpoints: [{addresses: [10.1.0.1], conditions: {ready: true, serving: true, terminating: false}, nodeName: n1}]
  ports: [{name: http, port: 8080, protocol: TCP}]`,
  'v1 Secret': `
  type: kubernetes.io/tls
  data: {tls.crt: YQ==, tls.key: Yg==}`,
  'apps/v1 Deployment': `
  spec:
    replicas: 2
    selector: {matchLabels: {app: web}}
    template:
      metadata: {creationTimestamp: null, labels: {app: web}}
      spec: {containers: [{name: web, image: web, args: [serve]}]}`,
  'apps/v1 StatefulSet': `spec: {serviceName: web, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web}]}}}`,
  'apps/v1 DaemonSet': `spec: {template: {spec: {containers: [{name: web}]}}}`,
  'batch/v1 Job': `spec: {backoffLimit: 4, template: {spec: {containers: [{name: web}], restartPolicy: Never}}}`,
};

describe('validate', () => {
  const versions = ['v1alpha3', 'v1beta1', 'v1'];
  const rows = Object.entries(policies).flatMap(([kind, { group, body }]) =>
    ['istio', 'mesh'].flatMap((brand) => versions.map((v) => [kind, `${group}.${brand}.io/${v}`, body] as const)),
  );

  test.each(rows)('accepts a %s of %s as a server prints it', (kind, apiVersion, body) => {
    expect(validated(apiVersion, kind, body)).toMatchObject({ kind, name: 'web', createdAt: 1_767_225_600_000 });
  });

  test.each(Object.entries(topology))('accepts a %s as a server prints it', (name, body) => {
    const [apiVersion = '', kind = ''] = name.split(' ');
    expect(validated(apiVersion, kind, body)).toMatchObject({ kind, name: 'web' });
  });
});

function validated(apiVersion: string, kind: string, body: string): ValidObject | undefined {
  const indented = body.startsWith('\n') ? body.slice(1) : `  ${body}`;
  const text = `apiVersion: v1
kind: List
metadata:
  resourceVersion: ""
items:
- apiVersion: ${apiVersion}
  kind: ${kind}
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"${apiVersion}","kind":"${kind}"}
    creationTimestamp: "2026-01-01T00:00:00Z"
    generation: 3
    labels:
      app.kubernetes.io/managed-by: Helm
      istio-injection: enabled
    managedFields:
    - manager: kubectl
      operation: Update
    name: web
    namespace: shop
    ownerReferences:
    - apiVersion: apps/v1
      kind: ReplicaSet
      name: web-1
      uid: 5a6c
    resourceVersion: "1234"
    uid: 0b9f
${indented}
${kind === 'Pod' ? podStatus : '  status: {}'}
`;
  const bag = new DiagnosticBag();
  const [object] = parse([{ path: 'list.yaml', text }], bag).map((document) => validate(document, bag));
  expect(bag.all).toEqual([]);
  return object;
}

const podStatus = `  status:
    phase: Running
    podIP: 10.1.0.1
    podIPs: [{ip: 10.1.0.1}]
    conditions: [{type: Ready, status: "True", lastProbeTime: null}]`;
