import type { World } from '../../access/world.ts';
import type { Snapshot } from '../../compiler/snapshot.ts';
import type { OriginsFile } from '../../contracts/origins-file.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { originsIn, worldOf } from '../../library/world-of.ts';
import type { SourceFile } from '../../source/document.ts';
import type { CliIo } from '../io.ts';
import { compileInputs, type PipelineOptions, type Preparation } from '../pipeline.ts';

/** Options of every command that answers questions about a mesh. */
export interface AccessOptions extends PipelineOptions {
  readonly filename?: readonly string[];
}

/** A mesh that questions can be asked about. */
export interface OpenMesh {
  readonly snapshot: Snapshot;
  readonly world: World;
  readonly originsOf: (workload: string) => OriginsFile;
  /** The inputs. */
  readonly files: readonly SourceFile[];
}

/** Reads and compiles a mesh. If the inputs have errors, prints them and gives undefined. */
export async function openMesh(
  positional: readonly string[],
  options: AccessOptions,
  io: CliIo,
  preparation: Preparation = {},
): Promise<OpenMesh | undefined> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  const bag = new DiagnosticBag();
  const { compilation, snapshot, inputs, sources } = await compileInputs(paths, options, io, bag, preparation);
  if (compilation === undefined || snapshot === undefined) {
    const errors = bag.all.filter(({ severity }) => severity === 'error');
    await io.writeError(format(errors, sources, 'text'));
    return undefined;
  }
  return { snapshot, world: worldOf(compilation), originsOf: originsIn(compilation, inputs), files: inputs };
}
