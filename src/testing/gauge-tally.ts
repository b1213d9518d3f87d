import { headerHolds, leafHolds } from '../access/evaluate/conditions.ts';
import type { RequestView } from '../access/evaluate/request-view.ts';
import type { Observer } from '../access/evaluate/surroundings.ts';
import type { Route } from '../access/lift/route.ts';
import type { LiftedProxy } from '../access/lift-proxy.ts';
import { differences } from '../gauge/differences.ts';
import type { GaugeAnswer, SentCase } from '../gauge/gauge-case.ts';
import { headerKind, leafKind, leavesOf, textKind } from './condition-kinds.ts';
import type { Prediction } from './gauge-prediction.ts';

type Counts = Record<string, number>;

/** What the cases of a run were about, counted on Envoy's answers: each kind of verdict, station and condition both ways. */
export class GaugeTally {
  cases = 0;
  mismatches = 0;
  /** Cases that were alone on their connection. */
  alone = 0;
  /** Predictions with several members that name nothing unknown: sets of curl's exit codes. */
  severalExitCodes = 0;
  unmodelled = 0;
  readonly protocols: Counts = {};
  readonly verdicts: Counts = {};
  /** By station: requests that ended there, and requests that it let pass. */
  readonly stations: Record<string, { ended: number; passed: number }> = {};
  /** By kind of condition, requests that met it true, and requests that met it false. */
  readonly conditions: Record<string, { true: number; false: number }> = {};
  /** What else was on the way of requests: kinds of routes, rewrites, states of tokens. */
  readonly features: Counts = {};
  /** By kind of what nobody knows, predictions that depend on it. */
  readonly unknowns: Counts = {};
  #view: RequestView | undefined;
  /** Of one case, on any of its ways: conditions with their values, states of tokens, stations passed. Each is counted once. */
  readonly #seen = new Set<string>();

  /** Counts what a prediction looks at. */
  readonly observer: Observer = {
    connection: () => {},
    rules: ({ rules }, matched, view) => {
      for (const rule of rules) {
        for (const leaf of leavesOf(rule.condition)) this.#see(leafKind(leaf), leafHolds(leaf, view));
        if (rule === matched) break;
      }
    },
    passed: (view) => {
      this.#view = view;
    },
    tokens: (_providers, state) => {
      this.#note('feature', `token ${state}`);
      if (state !== 'invalid') this.#note('passed', 'token');
    },
  };

  /** For people. */
  report(): string {
    const share = (count: number): string => `${((100 * count) / this.cases).toFixed(1)} %`;
    const list = <T>(counts: Readonly<Record<string, T>>, text: (count: T) => string): string =>
      Object.entries(counts)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => `  ${name}: ${text(count)}`)
        .join('\n');
    return [
      `${this.cases} cases, ${this.alone} of them alone on their connection: ${this.mismatches} differences`,
      `predictions: ${this.unmodelled} not understood, ${this.severalExitCodes} with several exit codes`,
      `what nobody knows:\n${list(this.unknowns, share)}`,
      `protocols:\n${list(this.protocols, share)}`,
      `verdicts:\n${list(this.verdicts, share)}`,
      `stations:\n${list(this.stations, ({ ended, passed }) => `${ended} ended, ${passed} passed`)}`,
      `conditions:\n${list(this.conditions, (seen) => `${seen.true} true, ${seen.false} false`)}`,
      `features:\n${list(this.features, String)}`,
    ].join('\n');
  }

  count(sent: SentCase, prediction: Prediction, answer: GaugeAnswer, proxy: LiftedProxy): void {
    this.cases++;
    if (sent.isAlone === true) this.alone++;
    add(this.protocols, `${sent.connection.protocol}${sent.connection.tls === undefined ? '' : ' in TLS'}`);
    add(this.verdicts, verdictOf(answer));
    this.#countStations(sent, prediction, answer);
    // Of several ways, the one that Envoy took.
    const taken = prediction.find(({ result }) => differences(result, answer).length === 0) ?? prediction[0];
    if (taken !== undefined) {
      const { result, because } = taken;
      for (const kind of new Set(because.map((one) => one.kind))) add(this.unknowns, kind);
      if (result.outcome.kind === 'closed' && result.outcome.exitCodes.length > 1) this.severalExitCodes++;
      if (result.outcome.kind === 'unmodelled') this.unmodelled++;
      const step = result.steps.find(({ station }) => station === 'route');
      const table = proxy.routes.get(step?.table ?? '');
      if (step !== undefined && table !== undefined) this.#countRoutes(table.virtualHosts, step.at);
    }
    this.#view = undefined;
    this.#countSeen();
  }

  #note(what: 'true' | 'false' | 'feature' | 'passed', name: string): void {
    this.#seen.add(`${what}:${name}`);
  }

  #countSeen(): void {
    for (const entry of this.#seen) {
      const [what = ''] = entry.split(':', 1);
      const name = entry.slice(what.length + 1);
      if (what === 'feature') add(this.features, name);
      else if (what === 'passed') this.#station(name).passed++;
      else {
        this.conditions[name] ??= { true: 0, false: 0 };
        this.conditions[name][what === 'true' ? 'true' : 'false']++;
      }
    }
    this.#seen.clear();
  }

  #countStations(sent: SentCase, prediction: Prediction, answer: GaugeAnswer): void {
    const end = endOf(sent, answer);
    const judged = prediction.flatMap(({ result }) => result.steps.map(({ station }) => station));
    const rules = judged.filter((station) => station === 'access' || station === 'network-access');
    const met = ['chain', ...(sent.connection.tls === undefined ? [] : ['tls']), ...rules];
    if (sent.request !== undefined) met.push('codec', 'path', 'route');
    const last = order.indexOf(end);
    for (const station of new Set(met)) {
      if (last !== -1 && order.indexOf(station) >= last) continue;
      this.#station(station).passed++;
    }
    if (end !== 'reached') this.#station(end).ended++;
  }

  #station(name: string): { ended: number; passed: number } {
    this.stations[name] ??= { ended: 0, passed: 0 };
    return this.stations[name];
  }

  /** Routes before the one that was taken, and this one. */
  #countRoutes(hosts: readonly { readonly routes: readonly Route[] }[], at: Route['at']): void {
    const view = this.#view;
    const routes = hosts.find((host) => host.routes.some((route) => route.at === at))?.routes ?? [];
    for (const route of routes) {
      const isTaken = route.at === at;
      if (view !== undefined) {
        for (const header of route.match.headers) {
          this.#see(`route: ${headerKind(header)}`, headerHolds(header, view.lines(header.name)));
        }
      }
      this.#see(`route: path ${textKind(route.match.path)}`, isTaken || route.match.path.matches(view?.barePath ?? ''));
      if (route.match.parameters.length > 0) this.#see('route: query parameter', isTaken);
      if (isTaken) this.#countAction(route);
      if (isTaken) return;
    }
  }

  #countAction({ action, headers, filters }: Route): void {
    add(this.features, `route that ${actionWords[action.kind]}`);
    if (action.kind === 'forward') {
      if (action.path !== undefined) add(this.features, `rewrite of the path by ${action.path.kind}`);
      if (action.authority !== undefined) add(this.features, 'rewrite of the authority');
      if (action.clusters.length > 1) add(this.features, 'weights');
    }
    if (headers.added.length > 0 || headers.removed.length > 0) add(this.features, 'changes of headers');
    if (filters.cors !== undefined) this.#note('passed', 'cors');
    if (filters.fault !== undefined) {
      add(this.features, `fault of ${filters.fault.share}`);
      this.#note('passed', 'fault');
    }
  }

  #see(kind: string, isTrue: boolean): void {
    this.#note(isTrue ? 'true' : 'false', kind);
  }
}

/** In which a request meets them. */
const order = ['chain', 'tls', 'network-access', 'codec', 'path', 'token', 'access', 'cors', 'fault', 'route'];

const actionWords = { forward: 'sends on', answer: 'answers', redirect: 'redirects' } as const;

function add(counts: Counts, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

/** The class of an answer. */
export function verdictOf({ status, details, ending, cluster, grpcStatus }: GaugeAnswer): string {
  // A TCP proxy has no word for what the application answers.
  const isAnswered = status !== 0 || ending === 'bytes';
  if (details === 'via_upstream' || (details === '' && cluster !== '' && isAnswered)) return 'reaches';
  if (status === 0) return 'closed';
  if (grpcStatus !== undefined) return 'gRPC status';
  return [400, 401, 403, 404].includes(status) ? String(status) : 'other answers';
}

/** The station that a case came to an end at, by Envoy's words; `reached` where it went on. */
function endOf({ connection, request }: SentCase, answer: GaugeAnswer): string {
  const { details, status, chain, ending } = answer;
  if (verdictOf(answer) === 'reaches') return 'reached';
  if (details.startsWith('rbac')) return status === 0 ? 'network-access' : 'access';
  if (status === 0) {
    if (chain === '') return 'chain';
    return request === undefined || connection.tls === undefined || ending === 'reset' ? 'codec' : 'tls';
  }
  const found = ends.find(([beginning]) => details.startsWith(beginning));
  return found?.[1] ?? details;
}

const ends: readonly (readonly [details: string, station: string])[] = [
  ['http1.', 'codec'],
  ['http2.', 'codec'],
  ['path_normalization_failed', 'path'],
  ['absolute_path_rejected', 'path'],
  ['jwt_authn', 'token'],
  ['cors_response', 'cors'],
  ['fault_filter_abort', 'fault'],
  ['route_not_found', 'route'],
  ['direct_response', 'route'],
];
