import type { Dice } from '../dice.ts';
import { rootNamespace } from '../generated-mesh.ts';
import type { GeneratedPolicy } from '../generated-policies.ts';
import type { AccessPolicy, AccessRule, Condition, Fields, TokenPolicy, TokenRule } from './intent.ts';

/** What the rules name, near to what requests have. */
const words = {
  principals: [
    'cluster.local/ns/a/sa/curl',
    'cluster.local/ns/a/sa/web-1',
    'cluster.local/ns/c/*',
    'old.example/ns/a/sa/curl',
    'old.example/*',
    'other.example/ns/a/sa/curl',
    '*/ns/c/sa/curl',
    '*/sa/curl',
    '*',
  ],
  namespaces: ['a', 'c', 'b*', '*c', 'legacy', '*'],
  accounts: ['curl', 'curl', 'a/curl', 'c/curl', 'a/web-1', 'b/api', 'api', 'web-1'],
  trustDomains: ['cluster.local', 'old.example', '*.example', 'cluster*', 'other.example'],
  blocks: ['10.1.0.0/30', '10.1.0.7', '10.1.0.4/30', '192.0.2.0/24', '192.0.2.7', '198.51.100.0/25', '0.0.0.0/0'],
  requestPrincipals: ['*', 'https://a.example/ann', 'https://b.example/*', '*/ann', 'https://a.example/bob'],
  hosts: [
    'web.a.svc.cluster.local',
    'WEB.a.svc.cluster.local',
    '*.svc.cluster.local',
    'web*',
    'shop.example',
    '*.example',
    '*',
  ],
  methods: ['GET', 'POST', 'P*', '*E', '*'],
  paths: [
    ...['/', '/admin', '/admin*', '/admin/*', '*.php', '*'],
    ...['/a/{*}/c', '/a/{*}/c', '/a/{**}', '/a/{**}/c', '/a/{*}/b/{**}', '/a/{*}'],
  ],
  ports: ['8080', '9000', '9100', '5432', '8443', '7777'],
  lines: ['admin', 'adm*', '*min', 'dev', '*', 'a b'],
} as const;

const conditions: readonly (readonly [key: string, values: readonly string[]])[] = [
  ['request.headers[x-role]', words.lines],
  ['request.headers[X-Team]', words.lines],
  ['request.headers[Cookie]', ['role=admin', 'role=*', '*admin', '*']],
  ['request.headers[host]', words.hosts],
  ['source.ip', words.blocks],
  ['remote.ip', words.blocks],
  ['source.namespace', words.namespaces],
  ['source.principal', words.principals],
  ['source.serviceAccount', words.accounts],
  ['source.trustDomain', words.trustDomains],
  ['destination.ip', ['10.1.0.2', '10.1.0.0/30', '10.1.0.4']],
  ['destination.port', words.ports],
  ['connection.sni', ['outbound_.80_._.web.a.svc.cluster.local', 'outbound_.80*', '*.local', '*']],
  ['request.auth.principal', words.requestPrincipals],
  ['request.auth.audiences', ['shop', 'sh*', 'bank', '*']],
  ['request.auth.presenter', ['phone', '*']],
  ['request.auth.claims[groups]', ['dev', 'ops', 'o*', '*', 'dev ops']],
  ['request.auth.claims[scope]', ['read', 'write', 'read write', '*']],
  ['request.auth.claims[realm][role]', ['admin', '*min', '*']],
];

const nameless = conditions.filter(([key]) => !/^(request\.auth|source\.(?!ip))/.test(key));

const selectors = [{ app: 'web' }, { app: 'web', version: 'v1' }, { app: 'api' }, { app: 'db' }, { app: 'nobody' }];

/** PeerAuthentications of the mesh, of namespaces and of workloads in them, so that most workloads have several. */
export function generatedPeers(dice: Dice): readonly GeneratedPolicy[] {
  const mtls = (): object => ({ mtls: { mode: dice.pick(['STRICT', 'PERMISSIVE', 'DISABLE', 'UNSET']) } });
  const ports = (): object => ({
    portLevelMtls: Object.fromEntries(
      dice.some(['8080', '9000', '9100', '7777'], 2).map((port) => [port, mtlsOf(mtls())]),
    ),
  });
  const peer = (name: string, namespace: string, spec: object): GeneratedPolicy => ({
    kind: 'PeerAuthentication',
    metadata: { name, namespace, ...(dice.chance(50) && { creationTimestamp: dice.pick(ages) }) },
    spec,
  });
  const selecting = (): object => ({
    selector: { matchLabels: dice.pick(selectors) },
    ...(dice.chance(80) && mtls()),
    ...(dice.chance(40) && ports()),
  });
  return [
    ...(dice.chance(50) ? [peer('mesh', rootNamespace, mtls())] : []),
    ...['a', 'b'].flatMap((namespace) => [
      ...(dice.chance(50) ? [peer('whole', namespace, mtls())] : []),
      ...(dice.chance(15) ? [peer('again', namespace, mtls())] : []),
      ...(dice.chance(60) ? [peer('one', namespace, selecting())] : []),
      ...(dice.chance(25) ? [peer('two', namespace, selecting())] : []),
    ]),
  ];
}

const ages = ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'];

function mtlsOf(block: object): unknown {
  return Object.values(block)[0];
}

/** Access policies of the fixed mesh, of all actions; those of action CUSTOM ask this authorizer. */
export function generatedAccessPolicies(dice: Dice, authorizer: string): readonly AccessPolicy[] {
  return Array.from({ length: 2 + dice.below(6) }, (_, i) => accessPolicy(dice, `p${i}`, authorizer));
}

function accessPolicy(dice: Dice, name: string, authorizer: string): AccessPolicy {
  const action = dice.pick([undefined, 'ALLOW', 'ALLOW', 'ALLOW', 'DENY', 'DENY', 'DENY', 'AUDIT', 'CUSTOM'] as const);
  const isDry = action !== 'CUSTOM' && action !== 'AUDIT' && dice.chance(10);
  const isEmpty = action !== 'DENY' && action !== 'CUSTOM' && action !== 'AUDIT' && dice.chance(6);
  return {
    kind: 'AuthorizationPolicy',
    metadata: {
      name,
      namespace: dice.pick(['mesh-system', 'a', 'a', 'a', 'b', 'b', 'c']),
      ...(isDry && { annotations: { 'mesh.io/dry-run': 'true' } }),
    },
    spec: {
      ...(dice.chance(60) && { selector: { matchLabels: dice.pick(selectors) } }),
      ...(action !== undefined && { action }),
      ...(action === 'CUSTOM' && { provider: { name: authorizer } }),
      ...(!isEmpty && {
        rules: Array.from({ length: 1 + dice.below(3) }, () => accessRule(dice, action !== 'CUSTOM')),
      }),
    },
  };
}

/** Which authorizer is asked depends on no identity. */
function accessRule(dice: Dice, knowsNames: boolean): AccessRule {
  if (dice.chance(5)) return {};
  const few = <T>(one: () => T): readonly T[] => Array.from({ length: 1 + dice.below(2) }, one);
  const rule = {
    ...(dice.chance(45) && { from: few(() => ({ source: source(dice, knowsNames) })) }),
    ...(dice.chance(60) && { to: few(() => ({ operation: operation(dice) })) }),
    ...(dice.chance(40) && { when: few(() => condition(dice, knowsNames)) }),
  };
  return Object.keys(rule).length === 0 ? { when: [condition(dice, knowsNames)] } : rule;
}

function source(dice: Dice, knowsNames: boolean): Fields {
  const { principals, namespaces, accounts, trustDomains, blocks, requestPrincipals } = words;
  if (!knowsNames) return fields(dice, { ipBlocks: blocks, remoteIpBlocks: blocks });
  const other = { ipBlocks: blocks, remoteIpBlocks: blocks, requestPrincipals };
  if (dice.chance(35)) return fields(dice, { serviceAccounts: accounts, ...other });
  return fields(dice, { principals, namespaces, trustDomains, ...other });
}

function operation(dice: Dice): Fields {
  const { hosts, methods, paths, ports } = words;
  return fields(dice, { hosts, methods, paths, ports });
}

/** One or two of the fields, some of them in their negated form, some in both. */
function fields(dice: Dice, from: Readonly<Record<string, readonly string[]>>): Fields {
  const entries = dice.some(Object.keys(from), 2).flatMap((field) => {
    const negated = `not${field[0]?.toUpperCase()}${field.slice(1)}`;
    const names = dice.chance(8) ? [field, negated] : [dice.chance(30) ? negated : field];
    return names.map((name) => [name, dice.some(from[field] ?? [])] as const);
  });
  return Object.fromEntries(entries);
}

function condition(dice: Dice, knowsNames: boolean): Condition {
  const [key, from] = dice.pick(knowsNames ? conditions : nameless);
  if (dice.chance(8)) return { key, values: dice.some(from), notValues: dice.some(from, 1) };
  return { key, [dice.chance(30) ? 'notValues' : 'values']: dice.some(from, 2) };
}

/** Policies about tokens of two issuers, whose key sets these are. */
export function generatedTokenPolicies(dice: Dice, keySets: readonly string[]): readonly TokenPolicy[] {
  return Array.from({ length: dice.below(4) }, (_, i) => ({
    kind: 'RequestAuthentication',
    metadata: { name: `t${i}`, namespace: dice.pick(['mesh-system', 'a', 'a', 'b']) },
    spec: {
      ...(dice.chance(50) && { selector: { matchLabels: dice.pick(selectors) } }),
      jwtRules: Array.from({ length: 1 + dice.below(2) }, () => tokenRule(dice, keySets)),
    },
  }));
}

/** Of two issuers, the first and the second of the key sets. */
export const issuers = ['https://a.example', 'https://b.example'] as const;

function tokenRule(dice: Dice, keySets: readonly string[]): TokenRule {
  const index = dice.below(2);
  return {
    issuer: issuers[index] ?? '',
    jwks: keySets[index] ?? '',
    ...(dice.chance(35) && { audiences: dice.some(['shop', 'bank'], 2) }),
    ...(dice.chance(25) && { fromHeaders: dice.some(headerPlaces, 2) }),
    ...(dice.chance(12) && { fromParams: ['token'] }),
    ...(dice.chance(20) && { spaceDelimitedClaims: ['groups'] }),
  };
}

const headerPlaces = [
  { name: 'x-token' },
  { name: 'x-jwt', prefix: 'JWT ' },
  { name: 'authorization', prefix: 'Bearer ' },
];
