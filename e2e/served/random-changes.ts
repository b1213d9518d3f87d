import fc from 'fast-check';
import { stringify } from 'yaml';
import { createCompiler } from '../../src/compiler/compile.ts';
import { defaultSettings } from '../../src/config/defaults.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { pod, topologyText } from '../../src/testbed/mesh-objects.ts';
import { Dice } from '../../src/testing/dice.ts';
import { clusterObject } from '../../src/testing/generated-cluster.ts';
import { edgeObject } from '../../src/testing/generated-edge.ts';
import { policies } from '../../src/testing/generated-policies.ts';
import { sidecarObject } from '../../src/testing/generated-sidecars.ts';

interface WrittenObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly spec?: object;
}

/** Files of the policy folder that are put, each with one object, and those that go. */
export interface RandomChange {
  readonly files: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

/** Four workloads with sidecars, in the namespaces that the generated objects are about, and no service yet. */
export const randomTopology = topologyText([
  ...['a', 'b', 'c'].map((name) => ({
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name, labels: { 'mesh-injection': 'enabled' } },
  })),
  pod({ namespace: 'a', name: 'web', index: 11, ports: { http: 8080 } }),
  pod({ namespace: 'a', name: 'curl', index: 12 }),
  pod({ namespace: 'b', name: 'api', index: 13, ports: { http: 8080 } }),
  pod({ namespace: 'c', name: 'late', index: 14 }),
]);

/** Of the kinds that say who there is, those that leave the four workloads as they are. */
const clusterKinds = new Set(['Service', 'EndpointSlice', 'Endpoints', 'ServiceEntry', 'WorkloadEntry']);
const most = 40;

/** Changes of a mesh, one after the other, each of which leaves the mesh valid. */
export class RandomChanges {
  readonly #dice: Dice;
  readonly #seed: number;
  readonly #there = new Map<string, string>();
  readonly #compiler = createCompiler({ settings: defaultSettings, delivery: 'ads' });
  #supply: WrittenObject[] = [];
  #drawn = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#dice = new Dice(seed);
  }

  /** Puts or removes this many objects; one to four when absent. */
  next(count = 1 + this.#dice.below(4)): RandomChange {
    const files: Record<string, string> = {};
    const removed = new Set<string>();
    while (Object.keys(files).length + removed.size < count) {
      const names = [...this.#there.keys()].filter((name) => !(name in files));
      if (names.length > 0 && (names.length > most || this.#dice.chance(30))) {
        const name = this.#dice.pick(names);
        if (this.#isValid(new Map([...this.#there].filter(([other]) => other !== name)))) {
          this.#there.delete(name);
          removed.add(name);
          continue;
        }
      }
      const object = this.#draw();
      const { kind, metadata } = object;
      const name = `random/${kind}-${metadata.namespace}-${metadata.name}.yaml`.toLowerCase();
      const text = stringify(object, { aliasDuplicateObjects: false });
      if (name in files || removed.has(name) || this.#there.get(name) === text) continue;
      if (!this.#isValid(new Map([...this.#there, [name, text]]))) continue;
      this.#there.set(name, text);
      files[name] = text;
    }
    return { files, removed: [...removed] };
  }

  /** What the control plane would refuse has a test of its own. */
  #isValid(files: ReadonlyMap<string, string>): boolean {
    const bag = new DiagnosticBag();
    const texts = [...files, ['topology.yaml', randomTopology] as const].map(([path, text]) => ({ path, text }));
    return this.#compiler.compile(texts, 'all', bag) !== undefined && !bag.hasErrors;
  }

  #draw(): WrittenObject {
    if (this.#supply.length === 0)
      this.#supply = fc.sample(written().filter(namesNoFile), { numRuns: 100, seed: this.#seed + ++this.#drawn });
    return this.#supply.pop() as WrittenObject;
  }
}

function written(): fc.Arbitrary<WrittenObject> {
  return fc.oneof<fc.WeightedArbitrary<WrittenObject>[]>(
    { weight: 5, arbitrary: (clusterObject() as fc.Arbitrary<WrittenObject>).filter(isServed) },
    // Keys of token issuers would be fetched.
    {
      weight: 3,
      arbitrary: edgeObject()
        .filter(({ kind }) => kind !== 'RequestAuthentication')
        .chain(named),
    },
    // A port below 1024 of an address of its own is not the proxy's to take: Envoy refuses such a listener.
    { weight: 1, arbitrary: sidecarObject().filter(bindsNothing).chain(named) },
    { weight: 2, arbitrary: policies().chain(([first]) => named({ ...first, ...apiVersionOf(first?.kind) } as never)) },
  );
}

/** Names of DNS have nobody here to ask. */
function isServed({ kind, spec }: WrittenObject): boolean {
  return clusterKinds.has(kind) && (spec as { readonly resolution?: string } | undefined)?.resolution !== 'DNS';
}

/** Of certificates that are on no disk here. */
function namesNoFile(object: WrittenObject): boolean {
  return !JSON.stringify(object).includes('.pem"');
}

function bindsNothing({ spec: { egress = [] } }: { readonly spec: { readonly egress?: readonly object[] } }): boolean {
  return egress.every((listener) => !('bind' in listener || 'captureMode' in listener));
}

/** One of few names, so that an object often takes the place of another one. */
function named(object: WrittenObject): fc.Arbitrary<WrittenObject> {
  return fc.constantFrom('o0', 'o1', 'o2', 'o3').map((name) => ({ ...object, metadata: { ...object.metadata, name } }));
}

function apiVersionOf(kind: string | undefined): object {
  return { apiVersion: kind === 'DestinationRule' ? 'networking.mesh.io/v1alpha3' : 'security.mesh.io/v1beta1' };
}
