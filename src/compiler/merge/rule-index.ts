import type { Settings } from '../../config/settings.ts';
import { append } from '../../lib/append.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import { compareSpecificity, isWildcard, resolveShortName, subsetOf } from '../topology/host.ts';
import type { Service } from '../topology/model.ts';
import { hasLabels, selects } from '../topology/selector.ts';
import { isPrivate, isVisible } from '../topology/visibility.ts';
import type { ClientScope } from './effective.ts';

/** Who asks for a rule: a client scope, or a server on its own behalf. */
export type RuleClient = Pick<ClientScope, 'namespace' | 'labels'>;

/** DestinationRules by the pools in which a client looks for them. Pools are never merged with each other. */
export class RuleIndex {
  readonly #rootNamespace: string;
  readonly #exportToDefault: readonly string[];
  readonly #selecting = new Map<string, Pool>();
  readonly #own = new Map<string, Pool>();
  readonly #exported = new Map<string, Pool>();

  /** `rules` are oldest first. */
  constructor(rules: readonly DestinationRule[], settings: Settings) {
    this.#rootNamespace = settings.rootNamespace;
    this.#exportToDefault = settings.defaultDestinationRuleExportTo;
    for (const rule of rules) {
      const { namespace } = rule;
      const host = hostOf(rule, settings.clusterDomain);
      const exportTo = this.#exportToOf(rule);
      if (hasLabels(rule.spec.workloadSelector)) poolOf(this.#selecting, namespace).add(host, rule);
      // A rule of the root namespace holds for its own namespace first only when nobody else may see it.
      else if (namespace !== settings.rootNamespace || isPrivate(exportTo, namespace)) {
        if (isVisible(exportTo, namespace, namespace)) poolOf(this.#own, namespace).add(host, rule);
      }
      if (!hasLabels(rule.spec.workloadSelector) && !isPrivate(exportTo, namespace)) {
        poolOf(this.#exported, namespace).add(host, rule);
      }
    }
  }

  /**
   * The rules of the most specific host that covers the service, oldest first, from the first pool that has one: rules
   * for these very clients, the client's namespace, the service's, the root's. In the pool found, a most specific host
   * that is not exported to the client ends that pool: less specific hosts are not tried.
   */
  find(client: RuleClient, service: Service): readonly DestinationRule[] {
    const { namespace, labels } = client;
    const forClient = (rule: DestinationRule): boolean => selects(rule.spec.workloadSelector?.matchLabels, labels);
    const isSeen = (rule: DestinationRule): boolean => isVisible(this.#exportToOf(rule), rule.namespace, namespace);
    const selecting = this.#selecting.get(namespace)?.matching(service.host, forClient) ?? [];
    if (selecting.length > 0) return selecting;
    const own = this.#own.get(namespace)?.mostSpecific(service.host) ?? [];
    if (own.length > 0) return own;
    const beside = (this.#exported.get(service.namespace)?.mostSpecific(service.host) ?? []).filter(isSeen);
    if (beside.length > 0) return beside;
    return (this.#exported.get(this.#rootNamespace)?.mostSpecific(service.host) ?? []).filter(isSeen);
  }

  #exportToOf(rule: DestinationRule): readonly string[] {
    return rule.spec.exportTo?.length ? rule.spec.exportTo : this.#exportToDefault;
  }
}

/** The rule's host in full and in lower case. */
export function hostOf(rule: DestinationRule, clusterDomain: string): string {
  return resolveShortName(rule.spec.host, rule.namespace, clusterDomain);
}

function poolOf(pools: Map<string, Pool>, namespace: string): Pool {
  let pool = pools.get(namespace);
  if (pool === undefined) {
    pool = new Pool();
    pools.set(namespace, pool);
  }
  return pool;
}

class Pool {
  readonly #byHost = new Map<string, DestinationRule[]>();
  #wildcards: string[] | undefined;

  add(host: string, rule: DestinationRule): void {
    append(this.#byHost, host, rule);
    this.#wildcards = undefined;
  }

  mostSpecific(host: string): readonly DestinationRule[] {
    const [first] = this.#covering(host);
    return first ?? [];
  }

  /** Among the rules that hold for the client. */
  matching(host: string, holds: (rule: DestinationRule) => boolean): readonly DestinationRule[] {
    for (const rules of this.#covering(host)) {
      const [first] = rules.filter(holds);
      if (first !== undefined) return rules.filter((rule) => holds(rule) && hasSameSelector(rule, first));
    }
    return [];
  }

  /** From the most specific host on. */
  *#covering(host: string): Iterable<readonly DestinationRule[]> {
    const exact = this.#byHost.get(host);
    if (exact !== undefined) yield exact;
    this.#wildcards ??= [...this.#byHost.keys()].filter(isWildcard).sort(compareSpecificity);
    for (const wildcard of this.#wildcards) {
      if (wildcard !== host && subsetOf(host, wildcard)) yield this.#byHost.get(wildcard) ?? [];
    }
  }
}

function hasSameSelector(a: DestinationRule, b: DestinationRule): boolean {
  const wanted = a.spec.workloadSelector?.matchLabels ?? {};
  const other = b.spec.workloadSelector?.matchLabels ?? {};
  return Object.keys(wanted).length === Object.keys(other).length && selects(wanted, other);
}
