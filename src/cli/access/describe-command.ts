import { formatDescription } from '../../access/report/description-text.ts';
import { noSuchWorkload } from '../../access/resolve-target.ts';
import { findWorkload, keyOf, type WorkloadName } from '../../access/world.ts';
import { noOrigins } from '../../contracts/origins-file.ts';
import { describeWorkload } from '../../library/describe-workload.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { formatWarnings, warningsJson, withWarnings } from './input-warnings.ts';
import { type AccessOptions, assumptionsAbout, openMesh } from './open-mesh.ts';

/** Options of `meshpol describe`, as the command line spells them. */
export interface DescribeOptions extends AccessOptions {
  readonly format: 'text' | 'json';
}

/** Prints what is in force at one workload; only its own proxy is compiled. */
export async function runDescribe(
  name: WorkloadName,
  positional: readonly string[],
  options: DescribeOptions,
  io: CliIo,
): Promise<ExitCode> {
  const mesh = await openMesh(positional, options, io, {
    select: ({ topology }) =>
      topology.workloads.filter(({ role, ...one }) => keyOf(one) === keyOf(name) && role !== 'none'),
  });
  if (mesh === undefined) return exitCode.no;
  const workload = await withWarnings(
    () => mesh.warnings.about([name.namespace]),
    io,
    () => {
      const found = findWorkload(mesh.world, name);
      if (found === undefined) throw noSuchWorkload(mesh.world, name);
      return found;
    },
  );
  const description = describeWorkload(workload, mesh);
  const services = mesh.snapshot.topology.services.filter(({ host }) =>
    workload.ports.some(({ service }) => service === host),
  );
  const concerned = { workloads: [keyOf(name)], services: services.map(keyOf) };
  const assumptions = assumptionsAbout(mesh.assumed, concerned);
  // A gateway is made of objects of other namespaces.
  const { listeners, routes } = workload.role === 'router' ? mesh.originsOf(keyOf(name)) : noOrigins;
  const fragments = [listeners, routes].flatMap((one) => Object.values(one).flat());
  const warnings = mesh.warnings.about(
    [name.namespace],
    fragments.flatMap(({ decidedBy }) => decidedBy),
  );
  if (options.format === 'json') {
    const json = { format: 1, ...description, assumptions, ...warningsJson(warnings) };
    await io.writeOut(`${JSON.stringify(json, undefined, 2)}\n`);
    return exitCode.done;
  }
  await io.writeOut(formatDescription(description, assumptions, io.colours));
  await io.writeError(formatWarnings(warnings));
  return exitCode.done;
}
