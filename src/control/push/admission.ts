import { isIP } from 'node:net';
import type { ReadClock } from '../../lib/clock.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { AnyRequest } from '../../xds/form.ts';
import type { DeltaRequest } from '../../xds/message.ts';
import { positionName } from '../../xds/position.ts';
import { StreamRefusal } from '../../xds/scope.ts';
import { hasAllSets } from '../../xds/whole-sets.ts';
import type { Authentication } from '../auth/caller.ts';
import { identityOf } from '../auth/caller.ts';
import { addressOf } from '../server/address.ts';
import type { Fleet } from './fleet.ts';
import type { ProxyViews } from './mesh-snapshot.ts';
import type { ProxyStream } from './proxy-stream.ts';
import { bytesToStart, Starts } from './starts.ts';
import { StreamLimits } from './stream-limits.ts';

/** Status codes of gRPC. */
const code = {
  ...{ invalidArgument: 3, permissionDenied: 7, resourceExhausted: 8, failedPrecondition: 9 },
  ...{ unavailable: 14, unauthenticated: 16 },
};

const monotonicMs: ReadClock = () => performance.now();

/** Time for a replica that has read less than another one to catch up. */
const catchUpMs = 1_000;

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** The client of a stream, as far as its connection proves it. */
export interface StreamCaller {
  readonly authentication: Authentication;
  /** `10.1.0.1:40022`, `[fd00::1]:40022` */
  readonly peer: string;
}

export interface AdmissionRules {
  readonly trustDomain: string;
  /** Proxies may connect from other addresses than their workloads have, behind a translation of addresses (NAT). */
  readonly takesAnyAddress: boolean;
  /** Longest wait for a workload that is not known yet, in milliseconds. */
  readonly waitMs?: number;
  readonly clock?: ReadClock;
}

/**
 * Decides which workload's configuration a client gets: the one whose namespace and service account its certificate has, and
 * from whose address it connects. The node metadata proves nothing.
 */
export class Admission {
  readonly #fleet: Fleet;
  readonly #rules: AdmissionRules;
  readonly #limits = new StreamLimits();
  readonly #starts = new Starts();

  constructor(fleet: Fleet, rules: AdmissionRules) {
    this.#fleet = fleet;
    this.#rules = rules;
  }

  /** Resolves when it is the stream's turn to start. Throws `StreamRefusal`. */
  async admit({ authentication, peer }: StreamCaller, first: AnyRequest): Promise<ProxyStream> {
    const { trustDomain, takesAnyAddress, clock = monotonicMs } = this.#rules;
    const { caller } = authentication;
    if (caller === undefined)
      throw new StreamRefusal(code.unauthenticated, 'a client certificate of the mesh is needed');
    const { node } = first;
    const asked = addressedBy(node?.id ?? '') ?? proxyOf(node?.id ?? '');
    if (asked === undefined)
      throw new StreamRefusal(code.invalidArgument, 'the node id is not role~ip~name.namespace~domain');
    if (typeof asked !== 'string' && asked.namespace !== caller.namespace) throw denied();
    const identity = identityOf(caller, trustDomain);
    if (!this.#limits.mayAsk(identity, clock())) throw tooMany('too many new streams');
    const known = await this.#find(identity, () =>
      typeof asked === 'string' ? this.#fleet.findAt(asked, caller) : this.#fleet.find(asked),
    );
    // Whether a workload exists is nobody's business who may not be it.
    if (known === undefined) throw new StreamRefusal(code.unavailable, 'the workload is not known yet');
    if (known === 'several')
      throw new StreamRefusal(
        code.invalidArgument,
        'several workloads have this address: give the agent --id NAME.NAMESPACE',
      );
    const proxy = { namespace: known.namespace, name: known.name };
    if (known.serviceAccount !== caller.serviceAccount) throw denied();
    if (!takesAnyAddress && !known.addresses.includes(addressOf(peer))) throw denied();
    await this.#refuseOlder(first, known.views, identity);
    if (!this.#limits.mayBegin(proxy, hasAll(first, known.views), clock())) throw tooMany('too many new streams');
    const { serviceAccount } = known;
    const envoyVersion = /^\d{1,3}\.\d{1,3}\.\d{1,3}$/.exec(node?.envoyVersion ?? '')?.[0] ?? '';
    const owner = { proxy: { ...proxy, serviceAccount }, identity, envoyVersion };
    const bounds = this.#limits.open(owner, clock);
    if (bounds === undefined) throw tooMany('too many open streams of this proxy');
    const start = await this.#starts.turn(bytesToStart(known.views, isKnowing(first)));
    return this.#fleet.open(owner, { bounds, start });
  }

  /** Refuses a client that another replica has sent newer configuration. The client decides how long it asks again. */
  async #refuseOlder(first: FirstRequest, views: ProxyViews, identity: string): Promise<void> {
    const position = first.initialVersions?.[positionName];
    if (position === undefined || hasAll(first, views)) return;
    const isNew = await this.#limits.wait(identity, (mayWait) =>
      this.#fleet.catchesUp(position, mayWait ? catchUpMs : 0),
    );
    if (!isNew) throw new StreamRefusal(code.failedPrecondition, 'this replica has read less than the one before');
  }

  /** Finds a workload, and waits for one that is not known yet, with a limited number of one caller's streams. */
  async #find<T>(identity: string, find: () => T | undefined): Promise<T | undefined> {
    const { waitMs = 5_000 } = this.#rules;
    return this.#limits.wait(identity, (mayWait) => this.#fleet.once(find, mayWait ? waitMs : 0));
  }
}

/** What only the incremental form has. */
type FirstRequest = AnyRequest & Partial<Pick<DeltaRequest, 'initialVersions'>>;

/** An agent that comes back says so by digests, and gets nothing. */
function hasAll(first: FirstRequest, views: ProxyViews): boolean {
  return hasAllSets(
    first,
    lists.map((list) => [configurationTypes[list].typeUrl, views[list]]),
  );
}

/** In the incremental form a client that comes back tells the versions that it has. */
function isKnowing(first: FirstRequest): boolean {
  return Object.keys(first.initialVersions ?? {}).length > 0;
}

function tooMany(what: string): StreamRefusal {
  return new StreamRefusal(code.resourceExhausted, `${what}; try again later`);
}

function denied(): StreamRefusal {
  return new StreamRefusal(
    code.permissionDenied,
    'the certificate is not of this workload, or comes from another address',
  );
}

/** The address that a proxy is called by where its registry knows no names: `10.1.0.5`, `10.1.0.5.service.consul`. */
function addressedBy(nodeId: string): string | undefined {
  const address = nodeId.split('~')[2]?.replace(/\.service\.consul$/, '') ?? '';
  return isIP(address) === 0 ? undefined : addressOf(`[${address}]:0`);
}

/** Name and namespace in the third field of a node id; a name may contain dots, a namespace none. */
export function proxyOf(nodeId: string): { readonly name: string; readonly namespace: string } | undefined {
  const fields = nodeId.split('~');
  const [, name, namespace] = /^(.+)\.([^.]+)$/.exec(fields[2] ?? '') ?? [];
  return fields.length === 4 && name !== undefined && namespace !== undefined ? { name, namespace } : undefined;
}
