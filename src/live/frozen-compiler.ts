import type { AnalysisView } from '../compiler/analyse.ts';
import type { Compiler } from '../compiler/compile.ts';
import type { EnvoyConfig } from '../compiler/render/resource.ts';
import { tokenRulesOf } from '../compiler/token-rules.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { JwtRule } from '../policy/request-authentication.ts';
import { boundPolicies } from './bound-policies.ts';
import type { ClosingSecrets } from './closing-secrets.ts';
import type { Compiled } from './compile-kept.ts';
import { fittingTopologies, frozenObjects, policiesOf } from './frozen-objects.ts';

/** By `<namespace>/<name>` of the proxies. */
export type Configs = ReadonlyMap<string, EnvoyConfig>;

export interface KeptPolicies {
  /** Of an older version. */
  readonly policies: readonly MeshObject<string>[];
  /** All objects of that version; policies among them do not count. */
  readonly objects: readonly MeshObject<string>[];
  /** Newer ones that a fault hides. */
  readonly hidden: readonly MeshObject<string>[];
}

/** Compiles proxies that keep the policies of an older version; what its compiler remembers is of theirs alone. */
export class FrozenCompiler {
  readonly #create: () => Compiler;
  readonly #closing: ClosingSecrets;
  #compiler: Compiler | undefined;
  #rules: JwtRule[] = [];

  constructor(create: () => Compiler, closing: ClosingSecrets) {
    this.#create = create;
    this.#closing = closing;
  }

  /** Of what was compiled since `begin`: their keys stay at hand. */
  get rules(): readonly JwtRule[] {
    return this.#rules;
  }

  /** A version of the inputs is there. */
  begin(): void {
    this.#rules = [];
  }

  /** Remembers nothing any more: no proxy is frozen, or it is to be compiled in another way. */
  forget(): void {
    this.#compiler = undefined;
  }

  /**
   * With these policies and what denies beside them, in the mesh as it is now. Where they do not fit into it, because a route
   * leads to a service that is gone, with what there was in their version; where the service was not there then either, with
   * a route that answers 503. A proxy that is at fault in each is left out.
   */
  async compile(
    kept: KeptPolicies,
    proxies: ReadonlySet<string>,
    compiled: Compiled,
    rootBefore: string | undefined,
  ): Promise<Configs> {
    const { objects, policies } = compiled.snapshot;
    const now = [...policiesOf(objects), ...boundPolicies(policies)];
    const configs = new Map<string, EnvoyConfig>();
    for (const lastValid of [undefined, []]) {
      for (const topology of fittingTopologies(kept.objects, objects)) {
        const own = frozenObjects(kept.policies, [...now, ...topology], kept.hidden);
        const missing = new Set([...proxies].filter((key) => !configs.has(key)));
        for (const [key, config] of await this.#compileObjects(own, missing, compiled, { rootBefore, lastValid }))
          configs.set(key, config);
        if (configs.size === proxies.size) return configs;
      }
    }
    return configs;
  }

  async #compileObjects(
    objects: readonly MeshObject<string>[],
    proxies: ReadonlySet<string>,
    { snapshot, keySets }: Compiled,
    view: Pick<AnalysisView, 'rootBefore' | 'lastValid'>,
  ): Promise<Configs> {
    this.#compiler ??= this.#create();
    const bag = new DiagnosticBag();
    const own = this.#compiler.analyse(objects, bag, { ...view, namespace: undefined });
    if (own === undefined) return new Map();
    this.#rules.push(...tokenRulesOf(own, 'all'));
    await keySets.fetch(tokenRulesOf(snapshot, 'all'));
    const select = own.topology.workloads.filter(({ namespace, name }) => proxies.has(`${namespace}/${name}`));
    // One that is at fault keeps its configuration as it was.
    const onFaulty = (): void => undefined;
    const closingSecrets = this.#closing.of(own.objects);
    const selection = { select, keySets, closingSecrets, onFaulty };
    return configsOf(this.#compiler.render(own, selection, bag)?.configs ?? []);
  }
}

/** What lets nothing through, for proxies of the mesh. */
export function denyingConfigs(
  compiler: Compiler,
  proxies: ReadonlySet<string>,
  { snapshot, keySets }: Compiled,
): Configs {
  if (proxies.size === 0) return new Map();
  const bag = new DiagnosticBag();
  const select = snapshot.topology.workloads.filter(({ namespace, name }) => proxies.has(`${namespace}/${name}`));
  const compilation = compiler.render(snapshot, { select, keySets, isDenying: true }, bag);
  if (compilation === undefined) throw new Error(bag.all.map(({ message }) => message).join('; '));
  return configsOf(compilation.configs);
}

function configsOf(configs: readonly EnvoyConfig[]): Configs {
  return new Map(configs.map((config) => [`${config.namespace}/${config.workload}`, config]));
}
