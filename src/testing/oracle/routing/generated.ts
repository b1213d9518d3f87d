import type { Dice } from '../../dice.ts';
import { hosts, pods, rootNamespace } from '../../generated-mesh.ts';
import type {
  GatewayPolicy,
  RouteBlock,
  RouteIntents,
  RouteMatch,
  RoutePolicy,
  RouteTarget,
  ScopePolicy,
  TextTest,
} from './intent.ts';
import type { RoutedRequest } from './matching.ts';
import { common, fullName, namesOf } from './names.ts';
import type { RouteQuestion } from './verdict.ts';

const ages = ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', '2024-01-03T00:00:00Z'];
const namespaces = ['a', 'a', 'b', 'c', rootNamespace];
const [web, api, mixed, legacy] = ['web.a', 'api.b', 'mixed.b', 'legacy.plain'].map(
  (name) => `${name}.svc.cluster.local`,
);

/** Routes, gateways and scopes that have much to do with each other. */
export function generatedRouteIntents(dice: Dice): RouteIntents {
  const gateways = Array.from({ length: dice.below(4) }, (_, i) => gateway(dice, `g${i}`));
  return {
    routes: Array.from({ length: 1 + dice.below(6) }, (_, i) => routePolicy(dice, `v${i}`, gateways)),
    gateways,
    scopes: dice.chance(50) ? scopes(dice) : [],
  };
}

function metadata(dice: Dice, name: string, namespace: string): RoutePolicy['metadata'] {
  return { name, namespace, ...(dice.chance(60) && { creationTimestamp: dice.pick(ages) }) };
}

const served = ['*', 'shop.example', '*.example', '*.shop.example', 'a.shop.example', 'other.test'];

function gateway(dice: Dice, name: string): GatewayPolicy {
  const ports = dice.some([80, 80, 8081], 2);
  const servers = ports.map((number) => ({
    port: { number, name: `http-${number}`, protocol: 'HTTP' as const },
    hosts: dice.some(served, 2).map((host) => dice.pick(['', '', '', './', 'a/', 'b/', '*/']) + host),
  }));
  const selector = dice.pick([{ mesh: 'ingressgateway' }, { mesh: 'ingressgateway' }, { app: 'nobody' }, undefined]);
  return {
    kind: 'Gateway',
    metadata: metadata(dice, name, dice.pick(['a', 'b', rootNamespace])),
    spec: { ...(selector !== undefined && { selector }), servers },
  };
}

function scopes(dice: Dice): readonly ScopePolicy[] {
  const scope = (name: string, namespace: string, labels?: Readonly<Record<string, string>>): ScopePolicy => ({
    kind: 'Sidecar',
    metadata: metadata(dice, name, namespace),
    spec: {
      ...(labels !== undefined && { workloadSelector: { labels } }),
      ...(dice.chance(90) && { egress: Array.from({ length: 1 + dice.below(2) }, () => ({ hosts: imports(dice) })) }),
    },
  });
  return [
    ...(dice.chance(40) ? [scope('mesh', rootNamespace)] : []),
    ...['a', 'c'].flatMap((namespace) => [
      ...(dice.chance(50) ? [scope('whole', namespace)] : []),
      ...(dice.chance(15) ? [scope('again', namespace)] : []),
      ...(dice.chance(40) ? [scope('one', namespace, dice.pick([{ app: 'curl' }, { version: 'v1' }]))] : []),
      ...(dice.chance(15) ? [scope('two', namespace, { app: 'curl' })] : []),
    ]),
  ];
}

function imports(dice: Dice): readonly string[] {
  return dice.some(
    ['./*', 'a/*', 'b/*', '*/*', `a/${web}`, `*/${api}`, 'b/*.b.svc.cluster.local', '*/shop.example', '~/*', 'plain/*'],
    3,
  );
}

function routePolicy(dice: Dice, name: string, gateways: readonly GatewayPolicy[]): RoutePolicy {
  const namespace = dice.pick(namespaces);
  const bound = dice.some(
    ['mesh', 'mesh', ...gateways.map((one) => `${one.metadata.namespace}/${one.metadata.name}`)],
    2,
  );
  const isOfMesh = gateways.length === 0 || dice.chance(40);
  const own = isOfMesh ? ['mesh'] : bound;
  const inMesh = [web, web, api, api, mixed, legacy, '*.b.svc.cluster.local', '*.local', 'shop.example', 'web'];
  const outside = ['shop.example', '*.example', '*.shop.example', 'a.shop.example', 'other.test'];
  const names = own.includes('mesh') ? (inMesh as readonly string[]) : outside;
  // A short name is a service of the namespace, and has to be one. Hosts of one object have nothing in common.
  const [first = '', second = first] = dice.some(names, 2).filter((host) => host !== 'web' || namespace === 'a');
  const isApart = common(fullName(first, namespace), fullName(second, namespace)) === undefined;
  return {
    kind: 'VirtualService',
    metadata: metadata(dice, name, namespace),
    spec: {
      hosts: first === '' ? [web ?? ''] : isApart ? [first, second] : [first],
      ...(!isOfMesh && { gateways: own }),
      ...(dice.chance(30) && { exportTo: dice.pick([['*'], ['.'], ['a'], ['c', 'b'], [rootNamespace]]) }),
      http: reached(Array.from({ length: 1 + dice.below(3) }, () => block(dice, own))),
    },
  };
}

/** Up to the first block that takes every request of every proxy: what follows would be a mistake. */
function reached(blocks: readonly RouteBlock[]): readonly RouteBlock[] {
  const last = blocks.findIndex(({ match: all }) => all === undefined || all.some(isCatchAll));
  return last === -1 ? blocks : blocks.slice(0, last + 1);
}

function isCatchAll({ uri, ...rest }: RouteMatch): boolean {
  return uri?.prefix === '/' && Object.keys(rest).every((field) => field === 'ignoreUriCase');
}

function block(dice: Dice, gateways: readonly string[]): RouteBlock {
  const matches = Array.from({ length: 1 + dice.below(2) }, () => match(dice, gateways));
  const conditions = dice.chance(75) ? { match: matches } : {};
  if (dice.chance(12)) return { ...conditions, directResponse: { status: dice.pick([200, 418, 503]) } };
  if (dice.chance(12))
    return { ...conditions, redirect: { uri: '/else', ...(dice.chance(50) && { redirectCode: 302 }) } };
  const hasRegex = matches.some(({ uri }) => uri?.regex !== undefined);
  const rewrite = dice.pick([{ uri: '/new' }, { uri: '/' }, { authority: 'inner.test' }]);
  return { ...conditions, route: targets(dice), ...(!hasRegex && dice.chance(25) && { rewrite }) };
}

function targets(dice: Dice): readonly RouteTarget[] {
  const subset = (): object => (dice.chance(35) ? { subset: dice.pick(['v1', 'v2']) } : {});
  const of = (): RouteTarget['destination'] =>
    dice.pick([
      () => ({ host: web ?? '', port: { number: 80 }, ...subset() }),
      () => ({ host: api ?? '', port: { number: 80 }, ...subset() }),
      () => ({ host: mixed ?? '', ...(dice.chance(50) && { port: { number: 8000 } }) }),
      () => ({ host: legacy ?? '' }),
    ])();
  if (dice.chance(75)) return [{ destination: of() }];
  return [
    { destination: of(), weight: dice.pick([0, 50, 100]) },
    { destination: of(), weight: dice.pick([1, 50]) },
  ];
}

function match(dice: Dice, gateways: readonly string[]): RouteMatch {
  const text = (...tests: readonly TextTest[]): TextTest => dice.pick(tests);
  const found: RouteMatch = {
    ...(dice.chance(70) && {
      uri: text(
        { exact: '/admin' },
        { prefix: '/admin' },
        { prefix: '/A' },
        { prefix: '/' },
        { regex: '/[a-z]+' },
        {
          exact: '/',
        },
      ),
    }),
    ...(dice.chance(15) && { ignoreUriCase: true }),
    ...(dice.chance(20) && { method: text({ exact: 'GET' }, { prefix: 'P' }, { regex: 'GET|PUT' }) }),
    ...(dice.chance(25) && {
      headers: { 'X-Role': text({ exact: 'admin' }, { prefix: 'adm' }, { regex: '.*min' }, {}) },
    }),
    ...(dice.chance(15) && { withoutHeaders: { 'x-team': text({ exact: 'dev' }, { prefix: 'de' }, {}) } }),
    ...(dice.chance(15) && { queryParams: { q: text({ exact: '1' }, { prefix: '1' }, { regex: '[0-9]+' }, {}) } }),
    ...(dice.chance(15) && { port: dice.pick([80, 80, 8000, 8081]) }),
    ...(dice.chance(12) && { sourceLabels: dice.pick([{ app: 'curl' }, { version: 'v1' }]) }),
    ...(dice.chance(12) && { sourceNamespace: dice.pick(['a', 'c', rootNamespace]) }),
    ...(dice.chance(12) && { gateways: dice.some(gateways, 1) }),
  };
  return Object.keys(found).length === 0 ? { uri: { prefix: '/' } } : found;
}

const clients = pods.filter(({ hasSidecar, namespace }) => hasSidecar && namespace !== 'plain');
const called = hosts.filter(({ host }) => [web, web, api, mixed, legacy].includes(host));

/** A question of a workload about a service, or of somebody outside about the gateway. */
export function generatedRouteQuestion(dice: Dice): RouteQuestion {
  const names = ['shop.example', 'a.shop.example', 'b.a.shop.example', 'other.test', 'x.example', 'none.test'];
  if (dice.chance(45)) {
    return { from: 'outside', port: dice.pick([80, 80, 80, 8081]), request: request(dice, withPort(dice, names, 80)) };
  }
  const pod = dice.pick(clients);
  const host = dice.pick(called);
  const port = host.ports[0] ?? 80;
  const authority = dice.chance(85) ? dice.pick(namesOf(host, pod.namespace)) : dice.pick(names);
  return { from: pod, host, port, request: request(dice, withPort(dice, [authority], port)) };
}

function withPort(dice: Dice, names: readonly string[], port: number): string {
  const name = dice.pick(names);
  return dice.pick([name, name, name, `${name}:${port}`, name.toUpperCase()]);
}

function request(dice: Dice, authority: string): RoutedRequest {
  const path = dice.pick(['/', '/admin', '/admin/x', '/administrator', '/ADMIN', '/abc', '/a/b', '/9']);
  return {
    method: dice.pick(['GET', 'GET', 'POST', 'PUT', 'DELETE']),
    path: `${path}${dice.pick(['', '', '', '?q=1', '?q=12', '?q=x', '?p=1'])}`,
    authority,
    headers: {
      ...(dice.chance(45) && { 'x-role': dice.pick(['admin', 'administrator', 'superadmin', 'dev']) }),
      ...(dice.chance(35) && { 'x-team': dice.pick(['dev', 'devs', 'ops']) }),
    },
  };
}
