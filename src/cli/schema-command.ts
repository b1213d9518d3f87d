import { nearest } from '../lib/nearest.ts';
import { UsageError } from '../lib/usage-error.ts';
import { schemaKinds, schemaOf } from '../library/schemas.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';

/** Options of `meshpol schema`, as the command line spells them. */
export interface SchemaOptions {
  readonly all?: true;
  readonly output?: string;
}

/** Prints the JSON Schema (2020-12) of a kind, for editors; without a kind, the kinds; or writes all of them to a folder. */
export async function runSchema(kind: string | undefined, options: SchemaOptions, io: CliIo): Promise<ExitCode> {
  const { all = false, output } = options;
  if (all !== (output !== undefined)) throw new UsageError('--all and --output go together: --all --output FOLDER');
  if (output !== undefined) {
    if (kind !== undefined) throw new UsageError(`--all writes every schema: leave out "${kind}"`);
    const { writeSchemas } = await import('./schema-folder.ts');
    await io.writeOut(await writeSchemas(output));
    return exitCode.done;
  }
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
