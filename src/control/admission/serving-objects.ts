import type { KubernetesApi } from '../../kubernetes/api.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { type ApiObject, pathOf, withQuery } from '../../kubernetes/resource-type.ts';
import type { PlainLog } from '../../lib/log.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { NamedGateway, ServingNames, ServingObjects } from '../../live/others-objects.ts';
import type { NamedClass } from '../../policy/gateway-controllers.ts';
import { isDnsSubdomain } from '../../schema/names.ts';
import { standardKind } from '../registry/cluster/kinds.ts';

/** The object of a name, or none. */
type Found = readonly ApiObject[];

interface Kept {
  readonly found: Promise<Found>;
  readonly untilMs: number;
}

interface ServingLookUpsOptions {
  readonly log: Pick<PlainLog, 'warn'>;
  /** Ends the wait of a review, or what is looked for; begins when it is made. */
  readonly deadline?: () => AbortSignal;
  /** In milliseconds, of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * For what a review waits, and for each thing that is looked for, which reviews share. The API server waits for the webhook for
 * 3 s, and the review waits for its turns meanwhile.
 */
const deadlineMs = 1_500;
/** As many parents as the Gateway API lets a route have. */
const mostGateways = 32;
/** Each sends one request at a time: as many requests are under way at most. */
const mostLookUps = 4;
/** Requests in one second. Whoever reaches the webhook decides how many are wanted, and Leases are renewed at the same API server. */
const mostRequests = 50;
const keptMs = 2_000;
const mostKept = 1_000;
/** One a minute. */
const linesOfCause = { perSecond: 1 / 60, burst: 1 };
const mostCauses = 100;

/**
 * Asks an API server which of the Gateways and classes of some names there are. It asks little of it, whatever it is asked
 * itself: beyond a few look-ups at a time and some requests a second, nothing is known.
 */
export class ServingLookUps {
  readonly #api: Pick<KubernetesApi, 'ask'>;
  readonly #log: Pick<PlainLog, 'warn'>;
  readonly #deadline: () => AbortSignal;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #lines = new TokenBuckets(linesOfCause, mostCauses);
  #underWay = 0;
  #second = 0;
  #requests = 0;

  constructor(
    api: Pick<KubernetesApi, 'ask'>,
    { log, deadline = () => AbortSignal.timeout(deadlineMs), now = () => performance.now() }: ServingLookUpsOptions,
  ) {
    this.#api = api;
    this.#log = log;
    this.#deadline = deadline;
    this.#now = now;
  }

  /** The Gateways of these names, and the classes of these names and of those Gateways; `unknown`: nobody says in time. */
  async of(names: ServingNames): Promise<ServingObjects | 'unknown'> {
    if (this.#underWay >= mostLookUps || names.gateways.length > mostGateways) return 'unknown';
    this.#underWay += 1;
    const deadline = this.#deadline();
    const late = new Promise<'unknown'>((resolve) => {
      deadline.addEventListener('abort', () => resolve('unknown'), { once: true });
    });
    return Promise.race([this.#lookUp(names, deadline), late]);
  }

  async #lookUp({ classes, gateways }: ServingNames, deadline: AbortSignal): Promise<ServingObjects | 'unknown'> {
    try {
      const found: ApiObject[] = [];
      for (const { namespace, name } of gateways) {
        if (deadline.aborted) return 'unknown';
        found.push(...(await this.#find('Gateway', name, namespace)));
      }
      const known = found.map(gatewayOf);
      const foundClasses: ApiObject[] = [];
      for (const name of new Set([...classes, ...known.map(({ spec }) => spec.gatewayClassName)])) {
        if (deadline.aborted) return 'unknown';
        foundClasses.push(...(await this.#find('GatewayClass', name, undefined)));
      }
      return { gateways: known, classes: foundClasses.map(classOf) };
    } catch (error) {
      if (error instanceof KubernetesError) return 'unknown';
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  /**
   * What was found a moment ago, or is being looked for, is not asked for again. Several reviews may wait for it, so it has a
   * deadline of its own; a review that ends before it keeps its place until then.
   */
  #find(kind: 'Gateway' | 'GatewayClass', name: string, namespace: string | undefined): Promise<Found> {
    const key = `${kind} ${namespace ?? ''}/${name}`;
    const now = this.#now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > now) return kept.found;
    const deadline = this.#deadline();
    const found = this.#ask(kind, name, namespace, deadline);
    this.#kept.delete(key);
    this.#kept.set(key, { found, untilMs: now + keptMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    found.catch((error: unknown) => {
      if (this.#kept.get(key)?.found === found) this.#kept.delete(key);
      if (error instanceof KubernetesError)
        this.#tell(kind, error, deadline.aborted ? 'no answer in time' : error.message);
    });
    return found;
  }

  /** By a cause: the texts of errors have the names of objects. */
  #tell(kind: string, error: KubernetesError, reason: string): void {
    const cause = `${kind} ${error instanceof ApiRefusal ? error.status : error.code}`;
    if (!this.#lines.take(cause, this.#now())) return;
    const consequence = 'objects of the Gateway API get no warnings, because it is not known who serves them';
    this.#log.warn(consequence, { kind, reason });
  }

  /** A list by its name needs no other right than meshd has to follow the kind. */
  async #ask(
    kind: 'Gateway' | 'GatewayClass',
    name: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<Found> {
    // A selector is a text with commas.
    if (!isDnsSubdomain(name)) return [];
    const { type, versions = [] } = standardKind(kind);
    const query = new URLSearchParams({ fieldSelector: `metadata.name=${name}` });
    for (const version of versions) {
      this.#count();
      try {
        const path = withQuery(pathOf({ ...type, version }, namespace), query);
        const { items } = await this.#api.ask<{ readonly items?: Found | null }>({ path, signal });
        return items ?? [];
      } catch (error) {
        const isUnserved = error instanceof ApiRefusal && error.status === 404;
        if (!isUnserved) throw error;
      }
    }
    return [];
  }

  #count(): void {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) this.#requests = 0;
    this.#second = second;
    this.#requests += 1;
    if (this.#requests > mostRequests) {
      throw new KubernetesError('api-spared', `the API server is asked at most ${mostRequests} times a second`);
    }
  }
}

function gatewayOf({ metadata: { namespace = '', name }, spec }: ApiObject): NamedGateway {
  const { gatewayClassName } = (spec ?? {}) as { readonly gatewayClassName?: unknown };
  return { namespace, name, spec: { gatewayClassName: String(gatewayClassName) } };
}

function classOf({ metadata: { name }, spec }: ApiObject): NamedClass {
  const { controllerName } = (spec ?? {}) as { readonly controllerName?: unknown };
  return { name, spec: { controllerName: String(controllerName) } };
}
