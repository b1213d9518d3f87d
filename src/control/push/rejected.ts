import type { MeshFigures } from '../../compiler/mesh-figures.ts';
import type { RejectedObject } from '../../diagnostics/rejected-objects.ts';
import type { ProxyOutcome } from '../../live/fleet-outcome.ts';

/** What the compiler left out, and objects at fault, however many proxies they concern. */
export function rejectedOf(
  outcomes: ReadonlyMap<string, ProxyOutcome>,
  figures: MeshFigures | undefined,
): readonly RejectedObject[] {
  const faults = new Set([...outcomes.values()].flatMap((outcome) => outcome.faults));
  const faulty = [...faults].flatMap(({ object }) => (object === undefined ? [] : [object]));
  const byName = new Map([...(figures?.rejected ?? []), ...faulty].map((it) => [JSON.stringify(it), it]));
  return [...byName.values()];
}
