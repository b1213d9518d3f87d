import { stringify } from 'yaml';
import { travel } from '../../../access/evaluate/travel.ts';
import type { Outcome } from '../../../access/outcome.ts';
import type { World } from '../../../access/world.ts';
import { compiledWorld } from '../../compiled-world.ts';
import type { Dice } from '../../dice.ts';
import { edgeTopology } from '../../generated-edge.ts';
import { hosts, meshTopology, pods } from '../../generated-mesh.ts';
import type { Comparison } from '../compare.ts';
import { generatedRouteIntents, generatedRouteQuestion } from './generated.ts';
import type { RouteIntents } from './intent.ts';
import { kindsAbout, type RouteQuestion, type RouteVerdict, routeOf } from './verdict.ts';

/** Generates meshes with routes, compiles them, and asks both the evaluator and the oracle where requests go. */
export function compareRoutes(
  dice: Dice,
  { meshes, questions }: { readonly meshes: number; readonly questions: number },
): Comparison {
  const counts = new Map<string, number>();
  const count = (name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);
  let decisions = 0;
  for (let i = 0; i < meshes; i++) {
    const intents = generatedRouteIntents(dice);
    const text = textOf(intents);
    const world = compiledWorld([meshTopology().text, edgeTopology().text, subsets, text]);
    const differences: string[] = [];
    for (let asked = 0; asked < questions; asked++) {
      const question = generatedRouteQuestion(dice);
      const meant = routeOf(intents, question);
      const predicted = predictedRoute(world, question);
      decisions++;
      count(meant.kind === 'answered' ? String(meant.status) : meant.kind);
      for (const kind of kindsAbout(intents, question)) count(kind);
      if (JSON.stringify(meant) === JSON.stringify(predicted)) continue;
      const told = [question, meant, predicted].map((one) => JSON.stringify(one));
      differences.push(`${told[0]}: meant ${told[1]}, predicted ${told[2]}\n${text}`);
    }
    if (differences.length > 0) return { decisions, counts, differences };
  }
  return { decisions, counts, differences: [] };
}

const subsets = ['web.a', 'api.b']
  .map((name) =>
    stringify({
      apiVersion: 'networking.mesh.io/v1',
      kind: 'DestinationRule',
      metadata: { name: 'subsets', namespace: name.split('.')[1] },
      spec: {
        host: `${name}.svc.cluster.local`,
        subsets: ['v1', 'v2'].map((version) => ({ name: version, labels: { version } })),
      },
    }),
  )
  .join('---\n');

function textOf({ routes, gateways, scopes }: RouteIntents): string {
  const all = [...routes, ...gateways, ...scopes];
  return all.map((policy) => stringify({ apiVersion: 'networking.mesh.io/v1', ...policy })).join('---\n');
}

/** What the first proxy on the way makes of the request, whichever weights and endpoints are chosen. */
function predictedRoute(world: World, { from, host, port, request }: RouteQuestion): RouteVerdict {
  const sent = { ...request, headers: Object.entries(request.headers) };
  const to =
    host === undefined ? { address: edge, port: port === 80 ? 8080 : port } : { address: addressOf(host.host), port };
  const client =
    from === 'outside'
      ? ({ kind: 'outside', address: '192.0.2.7' } as const)
      : ({ kind: 'workload', namespace: from.namespace, name: from.name } as const);
  const ways = travel(world, { from: client, to, protocol: 'http/1.1', request: sent }, { now: 0 });
  const outcomes = ways.map((way): Outcome => way.legs[0]?.passing?.outcome ?? way.outcome);
  const [first] = outcomes;
  if (first?.kind === 'answered') return { kind: 'answered', status: first.status };
  if (first?.kind !== 'reaches') return { kind: 'refused' };
  const clusters = outcomes.flatMap((one) => (one.kind === 'reaches' ? one.clusters : [one.kind]));
  if (clusters.every((name) => name === 'PassthroughCluster')) return { kind: 'unchanged' };
  const targets = [...new Set(clusters.map(targetOf))].sort();
  return { kind: 'goes', targets, path: first.request?.path ?? '', authority: first.request?.authority ?? '' };
}

function targetOf(cluster: string): string {
  const [, port, subset, host] = cluster.split('|');
  return `${host}:${port}${subset === '' ? '' : ` ${subset}`}`;
}

const edge = '10.1.9.1';

function addressOf(host: string): string {
  const index = hosts.findIndex((one) => one.host === host);
  return index === -1 ? (pods[0]?.name ?? '') : `10.96.0.${index + 1}`;
}
