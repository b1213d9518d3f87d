import { keyOf, type World } from '../../access/world.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import type { Snapshot } from '../../compiler/snapshot.ts';
import type { OriginsFile } from '../../contracts/origins-file.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import type { ConfigParts } from '../../envoy/static-form.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { originsIn, worldOf } from '../../library/world-of.ts';
import type { SourceFile } from '../../source/document.ts';
import type { CliIo } from '../io.ts';
import { compileInputs, type PipelineOptions, type Preparation } from '../pipeline.ts';
import type { Assumption } from './assume-option.ts';
import { type InputWarnings, inputWarnings } from './input-warnings.ts';
import { type AssumedMesh, preparing, readAssumptions } from './prepare-mesh.ts';

/** Options of every command that answers questions about a mesh. */
export interface AccessOptions extends PipelineOptions {
  readonly filename?: readonly string[];
  readonly assume?: readonly Assumption[];
}

/** A mesh that questions can be asked about. */
export interface OpenMesh {
  readonly snapshot: Snapshot;
  readonly compilation: Compilation;
  readonly world: World;
  readonly originsOf: (workload: string) => OriginsFile;
  /** What Envoy gets; by `namespace/name` of the workload. */
  readonly configOf: (workload: string) => ConfigParts | undefined;
  /** The inputs. */
  readonly files: readonly SourceFile[];
  readonly assumed: AssumedMesh;
  readonly warnings: InputWarnings;
}

/** Reads and compiles a mesh. If the inputs have errors, prints them and gives undefined. */
export async function openMesh(
  positional: readonly string[],
  options: AccessOptions,
  io: CliIo,
  { select, from }: Pick<Preparation, 'select' | 'from'> = {},
): Promise<OpenMesh | undefined> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  const bag = new DiagnosticBag();
  let assumed: AssumedMesh = { workloads: [], addresses: { workloads: new Map(), services: new Map() } };
  const prepare = preparing(await readAssumptions(options.assume ?? []), (told) => {
    assumed = told;
  });
  const preparation = { prepare, from, ...(select && { select }) };
  const { compilation, snapshot, inputs, sources } = await compileInputs(paths, options, io, bag, preparation);
  if (compilation === undefined || snapshot === undefined) {
    const errors = bag.all.filter(({ severity }) => severity === 'error');
    await io.writeError(format(errors, sources, 'text'));
    return undefined;
  }
  const [world, originsOf] = [worldOf(compilation), originsIn(compilation, inputs)];
  const warnings = inputWarnings(bag.all, sources, snapshot);
  return {
    snapshot,
    compilation,
    world,
    originsOf,
    configOf: configsIn(compilation),
    files: inputs,
    assumed,
    warnings,
  };
}

function configsIn({ configs }: Compilation): OpenMesh['configOf'] {
  const json = (all: readonly { readonly json: ConfigParts['bootstrap'] }[]): ConfigParts['listeners'] =>
    all.map((one) => one.json);
  return (workload) => {
    const config = configs.find((one) => keyOf({ namespace: one.namespace, name: one.workload }) === workload);
    if (config === undefined) return undefined;
    const { bootstrap, listeners, clusters, routes } = config;
    return { bootstrap: bootstrap.json, listeners: json(listeners), clusters: json(clusters), routes: json(routes) };
  };
}

/** What was assumed to answer a question about these workloads, and about the services that lead to them. */
export function assumptionsAbout(
  { workloads, addresses }: AssumedMesh,
  concerned: { readonly workloads: Iterable<string>; readonly services: Iterable<string> },
): readonly string[] {
  const stands = (what: string, address: string | undefined): readonly string[] =>
    address === undefined ? [] : [`${what} has no address in the input: ${address} stands for it`];
  return [
    ...workloads,
    ...[...new Set(concerned.workloads)].flatMap((key) => stands(key, addresses.workloads.get(key))),
    ...[...new Set(concerned.services)].flatMap((key) => stands(`Service ${key}`, addresses.services.get(key))),
  ];
}
