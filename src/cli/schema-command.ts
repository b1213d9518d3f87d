import { nearest } from '../lib/nearest.ts';
import { UsageError } from '../lib/usage-error.ts';
import { schemaKinds, schemaOf } from '../library/schemas.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';

/** Prints the JSON Schema (2020-12) of a kind, for editors; without a kind, the kinds. */
export async function runSchema(kind: string | undefined, io: CliIo): Promise<ExitCode> {
  if (kind === undefined) {
    await io.writeOut(`${schemaKinds().join('\n')}\n`);
    return exitCode.done;
  }
  const name = schemaKinds().find((candidate) => candidate.toLowerCase() === kind.toLowerCase());
  if (name === undefined) {
    const guess = nearest(kind, schemaKinds());
    throw new UsageError(
      `no schema for "${kind}": ${guess === undefined ? '"meshpol schema" lists the kinds' : `did you mean "${guess}"?`}`,
    );
  }
  await io.writeOut(`${JSON.stringify(schemaOf(name), null, 2)}\n`);
  return exitCode.done;
}
