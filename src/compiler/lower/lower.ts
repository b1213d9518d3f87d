import type { HostFacts } from '../../config/host-facts.ts';
import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { KeySets } from '../../policy/key-sets.ts';
import type { Secret } from '../../policy/topology-kinds.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { ClientScope, Effective } from '../merge/effective.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { lowerBootstrap } from './bootstrap.ts';
import { assignments } from './clusters/assignments.ts';
import { onlyNamedClusters } from './gateway/filter-clusters.ts';
import { lowerGateway } from './gateway/gateway.ts';
import { type ClosingSecrets, noClosingSecrets } from './gateway/secrets.ts';
import { warnOfTopologyAtSidecar } from './gateway/topology.ts';
import { lowerInbound } from './inbound/inbound.ts';
import type { Lowering } from './lowering.ts';
import { Memo } from './memo.ts';
import { lowerOutbound } from './outbound/outbound.ts';

export interface LowerInput {
  readonly topology: Topology;
  readonly effective: Effective;
  readonly settings: Settings;
  readonly scopeOf: (workload: Workload) => ClientScope;
  /** Absent: none is at hand. */
  readonly keySets?: KeySets | undefined;
  /** Of the machine that the proxy starts on; the same object as long as the cache lives. */
  readonly host?: HostFacts | undefined;
  /** Absent: every Secret has to be able to serve. */
  readonly closingSecrets?: ClosingSecrets | undefined;
}

/** What a proxy has beside the endpoints of its clusters. */
type ProxyParts = Pick<ProxyIR, 'bootstrap' | 'inbound' | 'outbound'>;

/** Results of earlier calls, by the identity of what they were made from. */
export interface LowerCache {
  memoOf(settings: Settings): Memo;
  /** The proxy that each parts were last put together to: a change of endpoints changes them all. */
  readonly proxies: WeakMap<ProxyParts, ProxyIR>;
}

/** An empty cache. Whoever compiles again keeps it; other settings start afresh. */
export function createLowerCache(): LowerCache {
  const memos = new WeakMap<Settings, Memo>();
  return {
    proxies: new WeakMap(),
    memoOf(settings) {
      let memo = memos.get(settings);
      if (memo === undefined) {
        memo = new Memo();
        memos.set(settings, memo);
      }
      return memo;
    },
  };
}

/**
 * One proxy's policies as listeners, routes and clusters. Proxies of equal client scopes share one outbound object; an
 * unchanged input gives the identical object again, with the faults it had.
 */
export function lower(workload: Workload, input: LowerInput, bag: DiagnosticBag, cache: LowerCache): ProxyIR {
  const { settings, topology } = input;
  const memo = cache.memoOf(settings);
  const scope = input.scopeOf(workload);
  const parts = memo.of(inputsOf(workload, scope, input), 'parts', bag, (own) =>
    partsOf(workload, scope, input, memo, own),
  );
  const inbound = assignments(parts.inbound.clusters, topology.endpoints);
  const outbound = assignments(parts.outbound.clusters, topology.endpoints);
  const known = cache.proxies.get(parts);
  if (known?.assignments.inbound === inbound && known.assignments.outbound === outbound) return known;
  const { namespace, name, addresses } = workload;
  const { bootstrap, inbound: own, outbound: shared } = parts;
  const assigned = { inbound, outbound };
  const proxy = {
    namespace,
    workload: name,
    addresses,
    bootstrap,
    inbound: own,
    outbound: shared,
    assignments: assigned,
  };
  cache.proxies.set(parts, proxy);
  return proxy;
}

type Inputs = readonly [object, ...object[]];

/** All that the parts of a proxy are made of. Asked for each proxy at each change: a list of few, made at once. */
function inputsOf(workload: Workload, scope: ClientScope, input: LowerInput): Inputs {
  const { effective } = input;
  const policies = effective.inboundPolicies(workload);
  const usual: Inputs = [workload, policies, scope, effective.outbound(scope), effective.virtualServices(scope)];
  const keys = keysOf(workload, input);
  if (scope.role === 'router') return [...usual, ...keys, ...routerInputsOf(workload, input)];
  return keys.length === 0 ? usual : [...usual, ...keys];
}

function routerInputsOf(
  workload: Workload,
  { effective, topology, closingSecrets: closing = noClosingSecrets }: LowerInput,
): readonly object[] {
  return [effective.gateways(workload), closing, ...secretsOf(topology, workload)];
}

/** Keys may come and go without an object that changes. */
function keysOf(workload: Workload, { effective, keySets }: LowerInput): readonly object[] {
  if (keySets === undefined) return noKeys;
  const policies = effective.requestAuthentications(workload);
  if (policies.length === 0) return noKeys;
  return policies.flatMap(({ spec }) => spec.jwtRules ?? []).map((rule) => keySets.find(rule));
}

const noKeys: readonly object[] = [];

function partsOf(
  workload: Workload,
  scope: ClientScope,
  input: LowerInput,
  memo: Memo,
  bag: DiagnosticBag,
): ProxyParts {
  const { effective, settings, keySets, host } = input;
  const lowering = { settings, memo, keySets, host };
  const services = effective.outbound(scope);
  const virtualServices = effective.virtualServices(scope);
  const shared = lowerOutbound({ scope, services, virtualServices }, lowering, bag);
  const own = scope.role === 'router' ? routerParts : sidecarParts;
  const { inbound, bootstrap } = own(workload, scope, input, lowering, bag);
  const outbound =
    scope.role === 'router' && settings.filterGatewayClusters
      ? memo.of([shared, inbound], 'named clusters', bag, () => onlyNamedClusters(shared, inbound))
      : shared;
  return memo.of([bootstrap, inbound, outbound], 'together', bag, () => ({ bootstrap, inbound, outbound }));
}

type OwnParts = Pick<ProxyIR, 'inbound' | 'bootstrap'>;

/** What a sidecar accepts; of what it reaches this depends on its external authorizers alone. */
function sidecarParts(
  workload: Workload,
  scope: ClientScope,
  input: LowerInput,
  lowering: Lowering,
  bag: DiagnosticBag,
): OwnParts {
  const { effective } = input;
  const inputs: Inputs = [workload, effective.inboundPolicies(workload), scope, ...keysOf(workload, input)];
  const asks = effective.authorizationPolicies(workload).some(({ spec }) => spec.action === 'CUSTOM');
  const authorizers = asks ? [effective.outbound(scope)] : [];
  return lowering.memo.of([...inputs, ...authorizers], 'own parts', bag, (own) => {
    const inbound = lowerInbound(workload, scope, effective, lowering, own);
    warnOfTopologyAtSidecar(workload, lowering.settings, own);
    return { inbound, bootstrap: bootstrapOf(workload, effective, lowering, own) };
  });
}

function routerParts(
  workload: Workload,
  scope: ClientScope,
  { effective, topology, closingSecrets: closing = noClosingSecrets }: LowerInput,
  lowering: Lowering,
  bag: DiagnosticBag,
): OwnParts {
  const secrets = secretsOf(topology, workload);
  const inbound = lowerGateway(workload, { effective, scope, secrets, closing }, lowering, bag);
  return { inbound, bootstrap: bootstrapOf(workload, effective, lowering, bag) };
}

function bootstrapOf(
  workload: Workload,
  effective: Effective,
  { settings, memo, host }: Lowering,
  bag: DiagnosticBag,
): ProxyIR['bootstrap'] {
  const configs = effective.proxyConfigs(workload);
  return memo.of([workload, configs], 'bootstrap', bag, (own) =>
    lowerBootstrap(workload, settings, host, configs, own),
  );
}

/** A gateway reads the Secrets of its own namespace only. */
function secretsOf({ secrets }: Topology, { namespace }: Workload): readonly Secret[] {
  return secrets.filter((secret) => secret.namespace === namespace);
}
