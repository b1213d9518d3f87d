import type { Compilation } from '../compiler/compilation.ts';
import { type CompileOptions, createCompiler } from '../compiler/compile.ts';
import type { PolicyOrigin } from '../compiler/ir/origin.ts';
import { type Change, ObjectStore } from '../compiler/object-store.ts';
import type { Delivery, FragmentOrigin, Resource } from '../compiler/render/resource.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { keyOf } from '../policy/object-key.ts';
import { batchOf, firstObjects, type Happening } from './mesh-history.ts';

const first = firstObjects();

/** Everything that compiling a mesh gives: each resource by its name, and the diagnostics. */
export interface Outcome {
  readonly isCompiled: boolean;
  readonly diagnostics: readonly string[];
  readonly content: object;
}

/** One mesh whose objects change, compiled by `update` from change to change. */
export class History {
  readonly #options: CompileOptions;
  readonly #compiler;
  readonly #store = new ObjectStore();
  #undoing: readonly Change[] = [];
  #last: Attempt;

  constructor(delivery: Delivery) {
    this.#options = { settings: defaultSettings, delivery };
    // As a control plane has it; the one that it is held against keeps them.
    this.#compiler = createCompiler({ ...this.#options, forgetsBootstraps: delivery === 'ads' });
    this.#last = this.#update(first.map((object) => ({ key: keyOf(object), object })));
  }

  let({ heals, steps }: Happening): void {
    const healing = heals && this.#last.compilation === undefined ? this.#undoing : [];
    this.#last = this.#update([...healing, ...batchOf(steps, this.#store.objects)]);
  }

  #update(batch: readonly Change[]): Attempt {
    const before = new Map(this.#store.objects.map((object) => [keyOf(object), object]));
    this.#undoing = batch.map(({ key }) => ({ key, object: before.get(key) }));
    this.#store.change(batch);
    const bag = new DiagnosticBag();
    return { compilation: this.#compiler.update(batch, 'all', bag), bag };
  }

  /** What the compiler gave that knows the mesh from its beginning. */
  get updated(): Outcome {
    return outcomeOf(this.#last);
  }

  /** What a compiler gives that sees the mesh as it is for the first time. */
  get fresh(): Outcome {
    const bag = new DiagnosticBag();
    const compilation = createCompiler(this.#options).compileObjects(this.#store.objects, 'all', bag);
    return outcomeOf({ compilation, bag });
  }
}

interface Attempt {
  readonly compilation: Compilation | undefined;
  readonly bag: DiagnosticBag;
}

function outcomeOf({ compilation, bag }: Attempt): Outcome {
  // What several scopes tell in the same words is printed once.
  const diagnostics = [...new Set(bag.all.map((diagnostic) => JSON.stringify(diagnostic)))].sort();
  return { isCompiled: compilation !== undefined, diagnostics, content: contentOf(compilation) };
}

function contentOf(compilation: Compilation | undefined): object {
  if (compilation === undefined) return {};
  const { configs, workloads, mesh, figures, decidedRoot } = compilation;
  const resources = configs.flatMap(({ namespace, workload, bootstrap, listeners, clusters, routes, endpoints }) =>
    [bootstrap, ...listeners, ...clusters, ...routes, ...endpoints].map(
      (resource) => `${namespace}/${workload} ${resource.type} ${resource.name}: ${textOf(resource)}`,
    ),
  );
  const names = workloads.map(({ namespace, name, addresses }) => `${namespace}/${name} ${addresses}`);
  return { resources, mesh, figures, decidedRoot, names };
}

const texts = new WeakMap<Resource, string>();

function textOf(resource: Resource): string {
  const text = texts.get(resource) ?? JSON.stringify([resource.json, resource.origins.map(originText)]);
  texts.set(resource, text);
  return text;
}

function originText({ path, decidedBy, overrode }: FragmentOrigin): string {
  const textsOf = (origins: readonly PolicyOrigin[]): string =>
    origins.map(({ kind, namespace, name, field, at }) => `${kind} ${namespace}/${name} ${field} ${at.file}`).join();
  return `${path}: ${textsOf(decidedBy)}; ${textsOf(overrode)}`;
}
