import type { OriginsFile } from '../../../contracts/origins-file.ts';
import type { Fragment } from '../../../envoy/api/fragment.ts';
import type { RequestView } from '../../evaluate/request-view.ts';
import type { Observer, TokenState } from '../../evaluate/surroundings.ts';
import type { AccessRule, AccessRules } from '../../lift/rbac.ts';
import { decidersOf } from '../../reason/deciders.ts';
import type { Connection } from '../../request.ts';
import type { RulePlace } from './covered-mesh.ts';
import type { RuleCounters } from './rule-counters.ts';
import { type CoverageTally, isScope, ofWhole } from './tally.ts';

/** A proxy that serves a request. */
export interface ObservedProxy {
  /** `namespace/name` */
  readonly workload: string;
  readonly isGateway: boolean;
  readonly origins: OriginsFile;
}

/** Counts what one proxy looks at while it serves one request. */
export class ProxyObserver implements Observer {
  readonly #proxy: ObservedProxy;
  readonly #counters: RuleCounters;
  readonly #tally: CoverageTally;
  readonly #judged = new Set<string>();
  #listener = '';

  constructor(proxy: ObservedProxy, counters: RuleCounters, tally: CoverageTally) {
    this.#proxy = proxy;
    this.#counters = counters;
    this.#tally = tally;
  }

  connection(listener: string, chains: readonly Fragment[], { tls }: Connection): void {
    this.#listener = listener;
    const side = tls?.identities === undefined ? 'without' : 'mutual TLS';
    const scopes = chains.flatMap((at) => decidersOf(this.#proxy.origins, listener, at)).filter(isScope);
    // Chains of one port have the same scope.
    const once = new Map(scopes.map((scope) => [`${scope.file} ${scope.name} ${scope.field}`, scope]));
    for (const scope of once.values()) this.#tally.count('mutual-tls', scope, side);
  }

  rules({ action, rules }: AccessRules, matched: AccessRule | undefined, view: RequestView): void {
    const place = { carries: carriesOf(view), isGateway: this.#proxy.isGateway };
    for (const rule of rules) {
      this.#judged.add(rule.name);
      this.#counters.see(rule, rule === matched, view, place);
    }
    // Nothing comes behind a denial.
    if (action === 'ALLOW' && matched === undefined) this.passed(view);
  }

  passed(view: RequestView): void {
    this.#counters.seeAbsent(this.#judged, view, this.#proxy.workload, carriesOf(view));
  }

  tokens(providers: readonly Fragment[], state: TokenState): void {
    const fields = providers.flatMap((at) => decidersOf(this.#proxy.origins, this.#listener, at)).map(ofWhole);
    const once = new Map(fields.map((field) => [`${field.namespace}/${field.name}`, field]));
    for (const field of once.values()) this.#tally.count('tokens', field, state);
  }
}

function carriesOf(view: RequestView): RulePlace['carries'] {
  return view.isConnection ? 'tcp' : 'http';
}
