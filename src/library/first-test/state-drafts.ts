import type { CoveragePlace } from '../../access/suite/coverage/place.ts';
import { routeRequests } from '../../access/suite/route-requests.ts';
import { keyOf, type World } from '../../access/world.ts';
import type { Snapshot } from '../../compiler/snapshot.ts';
import type { WrittenRequest } from '../../config/policy-test.ts';
import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import type { OriginsFile } from '../../contracts/origins-file.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { JwtRule } from '../../policy/request-authentication.ts';
import { partFor } from './attributes.ts';
import type { Draft } from './drafts.ts';
import { merged } from './surroundings.ts';
import { surroundingsOf } from './surroundings-of.ts';

/** Requests of which one is to show a side of a policy that coverage counts. */
export interface StateDraft extends Omit<Draft, 'requests'> {
  readonly state: string;
  /** Whether a request must not show it. */
  readonly isAvoided?: boolean;
  readonly requests: Iterable<WrittenRequest>;
}

interface State extends Omit<StateDraft, 'requests' | 'isAvoided'> {
  /** Of the request, besides client and target. */
  readonly part: WrittenRequest;
}

/**
 * For a RequestAuthentication: tokens of each issuer, and others. For a mode of mutual TLS: both kinds of connections. For a
 * route: a request that takes it, and one that does not. Else nothing.
 */
export function stateDrafts(
  place: CoveragePlace,
  world: World,
  snapshot: Snapshot,
  originsOf: (workload: string) => OriginsFile,
): readonly StateDraft[] {
  if (place.group === 'routes') {
    const requests = (isBeside: boolean): StateDraft['requests'] => ({
      [Symbol.iterator]: () => routeRequests(place, world, originsOf, isBeside),
    });
    return [
      { shows: 'takes the route', side: 'inside', state: 'taken', requests: requests(false) },
      { shows: 'another path', side: 'outside', state: 'taken', isAvoided: true, requests: requests(true) },
    ];
  }
  const states = statesOf(place, snapshot);
  if (states.length === 0) return [];
  const servers = serversOf(place, world, snapshot);
  return states.map(({ part, ...state }) => ({
    ...state,
    requests: { [Symbol.iterator]: () => requestsTowards(servers, part, world, snapshot) },
  }));
}

function statesOf({ group, namespace, name }: CoveragePlace, { policies }: Snapshot): readonly State[] {
  if (group === 'mutual-tls') {
    // Which of them is let in, the mode says.
    return [
      { shows: 'with mutual TLS', side: 'inside', state: 'mutual TLS', part: {} },
      { shows: 'without mutual TLS', side: 'inside', state: 'without', part: {} },
    ];
  }
  if (group !== 'tokens') return [];
  const policy = policies.requestAuthentications.find((one) => one.namespace === namespace && one.name === name);
  return [
    ...(policy?.spec.jwtRules ?? []).flatMap(statesOfIssuer),
    { shows: 'a token of another issuer', ...refused, part: { claims: { iss: strangers, sub: 'somebody' } } },
    { shows: 'no token', side: 'outside', state: 'absent', part: {} },
  ];
}

const refused = { side: 'outside', state: 'invalid' } as const;
const strangers = 'https://stranger.example.com';

function statesOfIssuer({ issuer = '', audiences = [] }: JwtRule): readonly State[] {
  const claims = { iss: issuer === '' ? strangers : issuer, sub: 'somebody' };
  const [aud] = audiences;
  const of = issuer === '' ? 'any issuer' : issuer;
  const taken = { ...claims, ...(aud !== undefined && { aud }) };
  const ofOthers = { ...claims, aud: 'https://other.example.com' };
  return [
    { shows: `a token of ${of}`, side: 'inside', state: 'valid', part: { claims: taken } },
    ...(aud === undefined
      ? []
      : [{ shows: `a token of ${of} for another audience`, ...refused, part: { claims: ofOthers } }]),
  ];
}

/** Where it may be in force; those of its own namespace come first. */
function serversOf(
  { group, namespace, name }: CoveragePlace,
  { mesh, proxies }: World,
  { effective, policies, topology }: Snapshot,
): readonly MeshWorkload[] {
  const isIt = (one: { readonly namespace: string; readonly name: string }): boolean =>
    one.namespace === namespace && one.name === name;
  const wanted = Object.entries(policies.peerAuthentications.find(isIt)?.spec.selector?.matchLabels ?? {});
  const isSelected = ({ labels }: Snapshot['topology']['workloads'][number]): boolean =>
    wanted.every(([key, value]) => labels[key] === value);
  const selected = new Set(topology.workloads.filter(isSelected).map(keyOf));
  const isThere = (server: MeshWorkload): boolean =>
    group === 'tokens' ? effective.requestAuthentications(server).some(isIt) : selected.has(keyOf(server));
  return sortedBy(
    mesh.workloads.filter((server) => proxies.has(keyOf(server)) && isThere(server)),
    (server) => (server.namespace === namespace ? 0 : 1),
    keyOf,
  );
}

/** From each client to each port. */
function* requestsTowards(
  servers: readonly MeshWorkload[],
  part: WrittenRequest,
  { mesh }: World,
  snapshot: Snapshot,
): Iterator<WrittenRequest> {
  for (const server of servers) {
    const { clients, targets, authorizer } = surroundingsOf(mesh, server, {}, undefined, snapshot);
    const asked = authorizer === undefined ? {} : { authorizer };
    for (const target of targets) {
      const own = partFor(target);
      // Bytes carry no tokens.
      if (part.claims !== undefined && own.protocol === 'tcp') continue;
      for (const client of clients) yield merged([client, own, asked, part]);
    }
  }
}
