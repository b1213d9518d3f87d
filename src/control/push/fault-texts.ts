import type { Locate } from '../../compiler/render/origins-json.ts';
import type { FleetFault, ProxyOutcome } from '../../live/fleet-outcome.ts';
import type { ProxyFault } from '../../xds/proxy-faults.ts';
import { contentVersion } from '../../xds/resource.ts';
import { errorText } from '../debug/why.ts';

/**
 * What the agents of proxies are told of invalid objects: of those in their own namespace the errors, of all others the name
 * alone, for errors quote what an object says. The lists are in the order of the outcomes (`<namespace>/<name>` to outcome).
 */
export function faultsOf(
  outcomes: ReadonlyMap<string, ProxyOutcome>,
  locate: () => Locate,
): readonly (readonly ProxyFault[])[] {
  const known = new Map<string, ProxyFault>();
  let located: Locate | undefined;
  return [...outcomes].map(([proxy, { faults }]) => {
    const namespace = proxy.slice(0, proxy.indexOf('/'));
    return faults.map((fault) => {
      located ??= locate();
      // An error of a Secret may quote a key.
      const isOwn = fault.object?.namespace === namespace && fault.object.kind !== 'Secret';
      const made = textOf(fault, isOwn, located);
      const key = `${made.name}\n${made.text}`;
      const shared = known.get(key) ?? made;
      known.set(key, shared);
      return shared;
    });
  });
}

function textOf({ object, file, line, heldSince, errors }: FleetFault, isOwn: boolean, locate: Locate): ProxyFault {
  const place = object === undefined ? 'a document' : `${object.kind}/${object.namespace}/${object.name}`;
  // Where it stands says nothing of what is in it, and nobody knows whose it is.
  const name = object === undefined ? contentVersion(file ?? '', String(line)) : place;
  const state = heldSince === undefined ? 'no version of it is active' : 'its last valid version stays active';
  const why = isOwn ? `: ${errors.map((error) => errorText(error, locate)).join('; ')}` : '';
  return { name, text: `${place} is invalid, ${state}${why}` };
}
