import { aliases } from '../../src/policy/alias.ts';
import { knownKinds } from '../../src/schema/kinds.ts';
import { refusedKinds, templateOfPatch } from '../../src/schema/refused-kinds.ts';
import { schemaOf } from './kinds-page.ts';
import { code, table } from './markdown.ts';
import { schemaFields } from './schema-fields.ts';

const introduction = `# Coming from Istio

Istio's YAML is read unchanged: the same kinds and fields, and Istio's names of API groups, labels and annotations. One compiler is
used everywhere: by \`meshpol compile\` on your machine or in CI, by \`pilot-agent proxy\` beside the workload, and by
[\`meshd serve\`](../reference/meshd-serve.md), the counterpart of \`istiod\`, for all proxies of a mesh. A kind or field that is not
supported and could change who gets access is an error with file, line and column. Other unsupported input causes a warning or an
info line. To see what concerns you, [install \`meshpol\`](../../README.md#install), and compile the objects of your cluster:

\`\`\`sh norun
kubectl get -A -o yaml namespaces,services,endpointslices,pods,peerauthentications,requestauthentications,authorizationpolicies,destinationrules,virtualservices,gateways.networking.istio.io,sidecars,serviceentries,workloadentries,workloadgroups,proxyconfigs > mesh.yaml
kubectl get configmap istio -n istio-system -o jsonpath='{.data.mesh}' > mesh-config.yaml
meshpol compile mesh.yaml --meshConfig mesh-config.yaml -o out
\`\`\`

If \`kubectl\` reports an unknown resource type, your release of Istio does not have this kind: leave it out. The second command gets
Istio's mesh configuration (with a revision, its ConfigMap is \`istio-REVISION\`). It has, among others, the trust domain,
\`outboundTrafficPolicy\` and the authorizers of CUSTOM policies; without it the [defaults](../reference/mesh-configuration.md) apply.

The first command does not get the kinds that are refused or have no effect ([below](#kinds)), because one refused object stops the
output. List yours; the table says what to use instead:

\`\`\`sh norun
kubectl get -A envoyfilters,wasmplugins,telemetries
\`\`\`

Each error and warning names the object, and what to write instead. The [glossary](../explanation/glossary.md#versions) names the
releases of Istio and Envoy that this page refers to. The tables of this page are generated from the compiler's schemas.
`;

const different = `## What behaves differently

| in Istio | here |
|---|---|
| \`istioctl analyze\` and \`istiod\` check objects with different code | the same compiler checks them in CI, beside the proxy and in \`meshd\` |
| a webhook rejects an invalid object. One that is stored all the same is ignored | [\`meshd\`](../reference/meshd-serve.md#validation-of-objects) has such a webhook too. If an invalid object is stored all the same, its last valid version stays active |
| \`istiod\` sends configuration over xDS | \`meshd serve\` does so too. Without it, the agent compiles the configuration itself, into files that Envoy watches |
| \`istiod\` signs certificates | [\`meshd\`](../reference/meshd-serve.md) signs them, for Istio's agents too. Certificates from files are supported as well |
| hot restart, \`parentShutdownDuration\` | no hot restart: changes are applied while Envoy runs |
| the root namespace is \`istio-system\` | it is \`mesh-system\`, or \`istio-system\` if that namespace has policies of Istio's API group ([details](../reference/meshpol-compile.md#inputs)) |
| an ALLOW rule with HTTP conditions never matches on TCP ports, and nothing says so | the same, with a warning that lists the ports |
| a path or host in a rule matches requests that spell it as the rule does | in DENY and CUSTOM rules, and in \`not…\` fields, it also matches equivalent spellings ([access rules](../reference/compiled-policies.md#access-rules)) |
| \`istioctl proxy-config\` shows a proxy's configuration | \`pilot-agent request GET config_dump\` shows it; \`meshd why\`, or \`origins.json\` beside the configuration, names the policies that it comes from |
| \`istioctl proxy-status\` shows which proxies have the current configuration | \`meshd proxies\` |
| \`istioctl experimental authz check\` shows the access rules of a proxy | \`meshpol explain\` predicts the result of a request, and names the rule that decides |
| if a Sidecar has \`ingress\`, the ports of services that it doesn't name are no longer configured | these ports stay as they are, so that their port-level mutual TLS remains in effect |
| a Sidecar without \`egress\` imports everything, and one without \`outboundTrafficPolicy\` follows the mesh configuration | the field is taken from the Sidecar of the namespace that has no selector, else from that of the root namespace, as Istio's reference says |
| the agent asks the cluster's DNS for names that a Sidecar does not import | names below the cluster domain that a Sidecar does not import do not exist for an agent with \`DNS_AGENT\` ([details](../reference/meshd-dns.md#who-may-know-what)) |
| a listener of a Sidecar with \`captureMode: NONE\` passes unknown destinations on | it refuses them: there is no other destination than the listener itself |
| a CORS preflight that \`corsPolicy\` does not allow goes to the application | the proxy answers it, unless \`unmatchedPreflights\` is \`FORWARD\` |
| newer releases prefer endpoints with few requests in progress (\`LEAST_REQUEST\`) | requests go to the endpoints in turn (\`ROUND_ROBIN\`), as in older releases, unless \`loadBalancer\` says otherwise |
| newer releases follow the \`delegate\` of a VirtualService by default | the whole VirtualService is ignored, with a warning, unless the variable [\`PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE\`](../reference/variables.md) is \`true\`, as in older releases |
| ambient mode (ztunnel, waypoints) | not supported |

\`EXIT_ON_ZERO_ACTIVE_CONNECTIONS\`, \`pilot-agent wait\` and \`/quitquitquit\` work as in Istio.
`;

/** Kinds, fields and names of Istio: what is read, what is refused, and what to do instead. */
export function fromIstioPage(): string {
  return [introduction, `${kindSection()}\n`, `${fieldSection()}\n`, different, `${nameSection()}\n`].join('\n');
}

function kindSection(): string {
  const own = knownKinds.filter(({ group }) => group.endsWith('.mesh.io'));
  const read = own.map(({ kind, group }) => [kind, groupOfIstio(group), 'supported', '–']);
  const refused = refusedKinds().map((kind) => [kind, 'networking.istio.io', 'refused', 'a template (below)']);
  const others = [
    [
      'WasmPlugin',
      'extensions.istio.io',
      'refused in phase `AUTHN` or `AUTHZ`, else a warning',
      'an external authorizer (CUSTOM)',
    ],
    ['Telemetry', 'telemetry.istio.io', 'without effect, with a warning', 'settings of the mesh configuration'],
    ['every kind', 'rbac.istio.io', 'refused', 'AuthorizationPolicy'],
    ['every kind', 'authentication.istio.io', 'refused', 'PeerAuthentication and RequestAuthentication'],
    [
      'GatewayClass, Gateway, GRPCRoute, HTTPRoute, TLSRoute, ReferenceGrant',
      'gateway.networking.k8s.io',
      '[read](../reference/gateway-api.md) by `meshpol`, and with `PILOT_ENABLED_SERVICE_APIS=true` by `meshd` and by a `pilot-agent` that compiles by itself',
      '–',
    ],
    ['every other kind', 'gateway.networking.k8s.io', 'refused', 'Gateway and VirtualService'],
  ];
  const patches = Object.entries(templateOfPatch).map(([applyTo, template]) => [code(applyTo), code(template)]);
  return `## Kinds\n\n${table(['kind', "Istio's group", 'here', 'instead'], [...read, ...refused, ...others])}

Replace an EnvoyFilter by a [template of your own](../reference/templates.md), in a folder that \`--templateFile\` names. Give it the name of
the built-in template that it replaces. Which one that is depends on what the patch applies to:

${table(['`applyTo`', 'template'], patches)}`;
}

function fieldSection(): string {
  const kinds = knownKinds.filter(({ group }) => group.endsWith('.mesh.io')).map(({ kind }) => kind);
  const refusedOf = (schema: string) => schemaFields(schema).filter(({ unsupported }) => unsupported !== undefined);
  const rows = [
    ...kinds.flatMap((kind) =>
      refusedOf(schemaOf(kind)).map(({ path, unsupported = '' }) => [kind, code(path), unsupported]),
    ),
    ...refusedOf('proxy-config').map(({ path, unsupported = '' }) => ['–', code(`defaultConfig.${path}`), unsupported]),
  ];
  return `## Fields that are refused

All other fields of the supported kinds are [read](../reference/kinds.md). Fields without a kind are settings of a proxy:
\`defaultConfig\` of the mesh configuration, \`PROXY_CONFIG\`, or the annotation \`proxy.mesh.io/config\`. Settings that have no
effect are listed in [Mesh configuration](../reference/mesh-configuration.md#accepted-without-effect).

${table(['kind', 'field', 'meaning, or what to use instead'], rows)}`;
}

function nameSection(): string {
  const rows = [
    ...Object.entries(aliases.groups).map(([from, to]) => ['API group', code(from), code(to)]),
    ...Object.entries(aliases.labels).map(([from, to]) => ['label', code(from), code(to)]),
    ['labels and annotations', `${code(aliases.domain.from)} and its subdomains`, code(aliases.domain.to)],
    ...Object.entries(aliases.labelValues).flatMap(([key, values]) =>
      Object.entries(values).map(([from, to]) => ['label', code(`${key}: ${from}`), code(`${key}: ${to}`)]),
    ),
    ...Object.entries(aliases.tlsModes).map(([from, to]) => ['TLS mode', code(from), code(to)]),
    ...Object.entries(aliases.containers).map(([from, to]) => ['container', code(from), code(to)]),
  ];
  return `## Names\n\nBoth names are accepted. Output uses the name in the right-hand column.\n\n${table(['what', 'Istio', 'here'], rows)}`;
}

function groupOfIstio(group: string): string {
  const found = Object.entries(aliases.groups).find(([, to]) => to === group);
  return found?.[0] ?? group;
}
