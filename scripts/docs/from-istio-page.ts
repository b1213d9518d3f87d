import { aliases } from '../../src/policy/alias.ts';
import { knownKinds } from '../../src/schema/kinds.ts';
import { refusedKinds, templateOfPatch } from '../../src/schema/refused-kinds.ts';
import { schemaOf } from './kinds-page.ts';
import { code, table } from './markdown.ts';
import { schemaFields } from './schema-fields.ts';

const introduction = `# Coming from Istio

Written by \`make docs\` from the schemas and tables of the compiler.

Istio's YAML is read as it is: same kinds, same fields, Istio's names for groups, labels and annotations. There is no
control plane that pushes configuration: \`meshpol compile\` makes it on your machine or in CI, and \`pilot-agent proxy\` makes
it beside the workload, from files. What is not supported is refused with file, line and column, never ignored, as long as it
could change who gets in. To see where you stand, compile what your cluster has:

\`\`\`sh norun
kubectl get -A -o yaml namespaces,services,endpointslices,pods,peerauthentications,requestauthentications,authorizationpolicies,destinationrules,virtualservices,gateways,serviceentries,workloadentries > mesh.yaml
meshpol compile mesh.yaml -o out
\`\`\`

Each error and warning names the object, and says what to write instead. The
[glossary](../explanation/glossary.md#versions) says which releases of Istio and Envoy this was compared with.
`;

const different = `## What behaves differently

| in Istio | here |
|---|---|
| \`istioctl analyze\` and \`istiod\` judge separately | one compiler judges, in CI and beside the proxy |
| an invalid object is rejected by a webhook or ignored | it is an error; in a running proxy the last valid version of the object stays active |
| \`istiod\` sends configuration over xDS | the agent writes files that Envoy watches |
| \`istiod\` signs certificates | [\`meshd\`](../reference/meshd-serve.md) signs them, for Istio's agents too; or certificates come from files |
| hot restart, \`parentShutdownDuration\` | no hot restart: changes are applied without one |
| the root namespace is \`istio-system\` | it is \`mesh-system\`; \`istio-system\` if your policies are there ([details](../reference/meshpol-compile.md#inputs)) |
| ALLOW rules with HTTP conditions on TCP ports | they never match; a warning lists the ports |
| paths and hosts in rules | deny-side matches cover equivalent spellings ([access rules](../reference/compiled-policies.md#access-rules)) |
| \`EXIT_ON_ZERO_ACTIVE_CONNECTIONS\`, \`pilot-agent wait\`, \`/quitquitquit\` | supported |
| \`istioctl proxy-config\`, \`istioctl pc\` | \`pilot-agent request GET config_dump\`, and \`origins.json\` beside the configuration |
| ambient mode (ztunnel, waypoints) | not supported |
`;

/** Kinds, fields and names of Istio: what is read, what is refused, and what to do instead. */
export function fromIstioPage(): string {
  return [introduction, `${kindSection()}\n`, `${fieldSection()}\n`, different, `${nameSection()}\n`].join('\n');
}

function kindSection(): string {
  const own = knownKinds.filter(({ group }) => group.endsWith('.mesh.io'));
  const read = own.map(({ kind, group }) => [kind, groupOfIstio(group), 'supported', '–']);
  const refused = refusedKinds().map(([kind, instead]) => [kind, 'networking.istio.io', 'refused', instead]);
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
    ['every kind', 'gateway.networking.k8s.io', 'skipped, with an info line', 'Gateway and VirtualService'],
  ];
  const patches = Object.entries(templateOfPatch).map(([applyTo, template]) => [code(applyTo), code(template)]);
  return `## Kinds\n\n${table(['kind', "Istio's group", 'here', 'instead'], [...read, ...refused, ...others])}

An EnvoyFilter becomes a [template of your own](../reference/templates.md), by what its patches apply to:

${table(['`applyTo`', 'template'], patches)}`;
}

function fieldSection(): string {
  const kinds = knownKinds.filter(({ group }) => group.endsWith('.mesh.io')).map(({ kind }) => kind);
  const rows = [...kinds, 'ProxyConfig'].flatMap((kind) =>
    schemaFields(schemaOf(kind))
      .filter(({ unsupported }) => unsupported !== undefined)
      .map(({ path, unsupported = '' }) => [kind, code(path), unsupported]),
  );
  return `## Fields that are refused

All other fields of the supported kinds are [read](../reference/kinds.md). Settings of the mesh configuration that have no
effect are listed in [Mesh configuration](../reference/mesh-configuration.md#accepted-without-effect).

${table(['kind', 'field', 'what it would set, or what to use instead'], rows)}`;
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
  return `## Names\n\nBoth names are read. Output uses the one on the right.\n\n${table(['what', 'Istio', 'here'], rows)}`;
}

function groupOfIstio(group: string): string {
  const found = Object.entries(aliases.groups).find(([, to]) => to === group);
  return found?.[0] ?? group;
}
