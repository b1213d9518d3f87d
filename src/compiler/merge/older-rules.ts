import type { DestinationRule } from '../../policy/destination-rule.ts';
import { areSeenTogether } from '../topology/visibility.ts';

interface Placed {
  readonly rule: DestinationRule;
  readonly place: number;
}

/** The rules with one list of `exportTo`: of them the first that says something is in force. */
interface Exported {
  readonly exportTo: readonly string[];
  policy?: Placed;
  readonly subsets: Map<string, Placed>;
}

/** The rules of one namespace for the same host and clients, oldest first: which of them shuts out what a younger one says. */
export class OlderRules {
  readonly #byExport = new Map<string, Exported>();
  readonly #defaultExportTo: readonly string[];
  #count = 0;

  constructor(defaultExportTo: readonly string[]) {
    this.#defaultExportTo = defaultExportTo;
  }

  add(rule: DestinationRule): void {
    const exportTo = this.#exportToOf(rule);
    const key = JSON.stringify(exportTo);
    const found = this.#byExport.get(key) ?? { exportTo, subsets: new Map<string, Placed>() };
    this.#byExport.set(key, found);
    const placed = { rule, place: this.#count++ };
    if (rule.spec.trafficPolicy !== undefined) found.policy ??= placed;
    for (const { name } of rule.spec.subsets ?? []) {
      if (!found.subsets.has(name)) found.subsets.set(name, placed);
    }
  }

  /** The oldest with a `trafficPolicy` that some namespace sees beside the rule. */
  withPolicy(rule: DestinationRule): DestinationRule | undefined {
    return this.#oldest(rule, ({ policy }) => policy);
  }

  /** The oldest with a subset of the name that some namespace sees beside the rule. */
  withSubset(rule: DestinationRule, name: string): DestinationRule | undefined {
    return this.#oldest(rule, ({ subsets }) => subsets.get(name));
  }

  #oldest(rule: DestinationRule, wanted: (group: Exported) => Placed | undefined): DestinationRule | undefined {
    const { namespace } = rule;
    const own = { namespace, exportTo: this.#exportToOf(rule) };
    let oldest: Placed | undefined;
    for (const group of this.#byExport.values()) {
      const found = wanted(group);
      if (found === undefined || (oldest !== undefined && oldest.place < found.place)) continue;
      if (areSeenTogether({ namespace, exportTo: group.exportTo }, own)) oldest = found;
    }
    return oldest?.rule;
  }

  #exportToOf({ spec: { exportTo } }: DestinationRule): readonly string[] {
    return exportTo?.length ? exportTo : this.#defaultExportTo;
  }
}
