import { isWorkloadKind } from '../../compiler/reach.ts';
import { WorldFailure } from '../../lib/failure.ts';
import { readNamedText } from '../../lib/read-file.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type AssumedWorkload, assumedText, describeAssumed } from '../../library/assumed-workload.ts';
import { type PlacedObjects, placeObjects } from '../../library/place-objects.ts';
import type { Preparation } from '../pipeline.ts';
import { type Assumption, parseAssumedWorkload } from './assume-option.ts';

type Prepare = NonNullable<Preparation['prepare']>;
type Objects = Parameters<Prepare>[0];

/** What was assumed to complete a mesh. */
export interface AssumedMesh {
  readonly workloads: readonly string[];
  readonly addresses: Pick<PlacedObjects, 'workloads' | 'services'>;
}

/** The workloads that the command line assumes; throws where a file cannot be read, or a line of it is wrong. */
export async function readAssumptions(given: readonly Assumption[]): Promise<readonly AssumedWorkload[]> {
  const all = await Promise.all(given.map((one) => ('file' in one ? readAssumedFile(one.file) : [one])));
  return all.flat();
}

async function readAssumedFile(path: string): Promise<readonly AssumedWorkload[]> {
  const text = await readNamedText(path, 'utf8').catch((cause: unknown) => {
    throw new WorldFailure('file-unreadable', `cannot read "${path}"`, { cause });
  });
  return text.split(/\r?\n/).flatMap((line, i) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [parseAssumedWorkload(trimmed)];
    } catch (error) {
      if (!isInvalidArgument(error)) throw error;
      throw new UsageError(`${path}:${i + 1}: ${error.message}`);
    }
  });
}

/** The same in each bundle of the program. */
function isInvalidArgument(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'commander.invalidArgument';
}

/**
 * Adds the assumed workloads to the objects, gives an address to everything that has none, and reports both to `tell`.
 */
export function preparing(workloads: readonly AssumedWorkload[], tell: (assumed: AssumedMesh) => void): Prepare {
  return (read, compiler, bag) => {
    for (const workload of workloads) requireNew(workload, read);
    const texts = workloads.map((workload) => assumedText(workload, `--assume ${workload.namespace}/${workload.name}`));
    const complete = [...read, ...compiler.read(texts, bag)];
    if (bag.hasErrors) return { objects: complete, texts };
    const { objects, ...addresses } = placeObjects(complete, compiler.analyse);
    tell({ workloads: workloads.map(describeAssumed), addresses });
    return { objects, texts };
  };
}

function requireNew({ namespace, name, ports }: AssumedWorkload, objects: Objects): void {
  const same = objects.filter((object) => object.namespace === namespace && object.name === name);
  const workload = same.find(({ kind }) => isWorkloadKind(kind));
  if (workload !== undefined) {
    throw new UsageError(`--assume ${namespace}/${name}: the input has a ${workload.kind} of this name already`);
  }
  if (ports.length > 0 && same.some(({ kind }) => kind === 'Service')) {
    throw new UsageError(`--assume ${namespace}/${name}: the input has a Service of this name, leave "ports" out`);
  }
}
