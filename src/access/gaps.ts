import type { LiftedProxy } from './lift-proxy.ts';

/** Every place of a proxy's configuration that a prediction does not understand, as `resource: path`. */
export function gapsOf({ listeners, routes, clusters }: LiftedProxy): readonly string[] {
  return [listeners, routes, clusters].flatMap((resources) =>
    [...resources].flatMap(([name, resource]) => gapsIn(resource).map((gap) => `${name}: ${gap}`)),
  );
}

/** Whatever has a gap says so in a member of this name. */
function gapsIn(part: unknown): readonly string[] {
  if (Array.isArray(part)) return part.flatMap(gapsIn);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, member]) => {
    if (key === 'at') return [];
    return key === 'gap' ? (typeof member === 'string' ? [member] : []) : gapsIn(member);
  });
}
