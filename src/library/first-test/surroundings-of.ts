import type { RuleName } from '../../access/suite/coverage/covered-mesh.ts';
import type { Snapshot } from '../../compiler/snapshot.ts';
import type { WrittenRequest } from '../../config/policy-test.ts';
import type { MeshFile, MeshWorkload } from '../../contracts/mesh-file.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { AuthorizationPolicy, AuthorizationRule } from '../../policy/authorization-policy.ts';
import type { DraftSurroundings, KnownTarget } from './surroundings.ts';

/** The policy of this name; undefined where the mesh has none. */
export function findPolicy(
  { policies }: Snapshot,
  { namespace, name }: Pick<RuleName, 'namespace' | 'name'>,
): AuthorizationPolicy | undefined {
  return policies.authorizationPolicies.find((one) => one.namespace === namespace && one.name === name);
}

/** What requests for a rule can be made of, at a workload where it is in force. */
export function surroundingsOf(
  mesh: MeshFile,
  server: MeshWorkload,
  rule: AuthorizationRule,
  action: AuthorizationPolicy['spec']['action'],
  { policies, effective }: Snapshot,
): DraftSurroundings {
  const isAsked = policies.authorizationPolicies.some(({ spec }) => spec.action === 'CUSTOM');
  const tokens = policies.requestAuthentications.length === 0 ? [] : effective.requestAuthentications(server);
  const [jwtRule] = tokens.flatMap(({ spec }) => spec.jwtRules ?? []);
  const [audience] = jwtRule?.audiences ?? [];
  return {
    clients: clientsOf(mesh, server, rule),
    targets: targetsOf(server),
    // A denial shows whether a rule asks.
    authorizer: isAsked ? (action === 'CUSTOM' ? 'deny' : 'allow') : undefined,
    claims: {
      iss: jwtRule?.issuer ?? 'https://issuer.example.com',
      sub: 'somebody',
      ...(audience !== undefined && { aud: audience }),
    },
  };
}

const mostWorkloads = 8;

/** Workloads that the rule may be about, then clients that have only a certificate, then those without. */
function clientsOf({ workloads }: MeshFile, server: MeshWorkload, rule: AuthorizationRule): readonly WrittenRequest[] {
  const text = JSON.stringify(rule);
  const others = workloads.filter(({ role, addresses }) => role !== 'router' && addresses.length > 0);
  const ranked = sortedBy(
    others.filter((one) => one !== server),
    ({ identity, role }) => (role === 'sidecar' && text.includes(`${identity.split('/').at(-1)}`) ? 0 : 1),
    ({ namespace }) => (namespace === server.namespace ? 0 : 1),
    ({ namespace, name }) => `${namespace}/${name}`,
  ).slice(0, mostWorkloads);
  // One of another namespace is tried, however many there are in the own.
  const far = others.find(({ namespace }) => namespace !== server.namespace && namespace === 'elsewhere');
  const chosen = far === undefined || ranked.includes(far) ? ranked : [...ranked, far];
  const identities = chosen.map(({ identity }) => identity);
  const outside = [{ from: 'outside' }, ...identities.map((from) => ({ from }))];
  const own = chosen.map(({ namespace, name }) => ({ from: `${namespace}/${name}` }));
  const fromAddresses = addressesIn(rule).flatMap((address) =>
    outside.flatMap((client) => [
      { ...client, address },
      { ...client, address, headers: { 'x-forwarded-for': address } },
    ]),
  );
  const isGateway = server.role === 'router';
  return isGateway ? [...outside, ...fromAddresses, ...own] : [...own, ...outside, ...fromAddresses];
}

/** First addresses of the blocks that the rule names, and one that is in none of them mostly. */
function addressesIn({ from = [], when = [] }: AuthorizationRule): readonly string[] {
  const blocks = [
    ...from.flatMap(({ source }) => [
      ...[source.ipBlocks, source.notIpBlocks, source.remoteIpBlocks, source.notRemoteIpBlocks].flatMap(
        (values) => values ?? [],
      ),
    ]),
    ...when.flatMap(({ key, values = [], notValues = [] }) => (key.endsWith('.ip') ? [...values, ...notValues] : [])),
  ];
  if (blocks.length === 0) return [];
  return [...new Set([...blocks.map((block) => block.split('/')[0] ?? block), '203.0.113.7'])];
}

/** Ports of services first, as clients name them; the workload itself where no service leads to it. */
function targetsOf({ namespace, name, ports }: MeshWorkload): readonly KnownTarget[] {
  if (ports.length === 0) return [{ to: `${namespace}/${name}:8080`, port: 8080, protocol: 'http' }];
  return ports.map(({ service, port, protocol, targetPort }) => {
    const [, short] = /^([^.]+\.[^.]+)\.svc\./.exec(service) ?? [];
    return { to: `${short ?? service}:${port}`, port: targetPort, protocol };
  });
}
