import type { JsonPath, SourceSpan } from '../../diagnostics/span.ts';
import type { TrafficBlocks } from '../../policy/destination-rule.ts';
import type { MeshObject } from '../../policy/object.ts';
import { writtenField } from '../../policy/written-field.ts';
import type { Origins, PolicyOrigin } from '../ir/origin.ts';
import type { EffectiveTraffic } from '../merge/effective.ts';
import type { Service } from '../topology/model.ts';
import { placeOfPort } from '../topology/service-port.ts';

/** A built-in decision: nobody's. */
export const noOrigins: Origins = { decidedBy: [], overrode: [] };

/** The service port that made a listener, a route or a cluster; the whole list of ports when its entry is not found. */
export function servicePortOrigins(service: Service, port: number): Origins {
  const { object, path } = placeOf(service, port);
  return { decidedBy: [objectOrigin(object, path)], overrode: [] };
}

/** A field of an object of the input; for one that was made of others, the field of theirs that says it. */
export function objectOrigin(made: MeshObject<string>, path: JsonPath): PolicyOrigin {
  const { object, field } = writtenField(made, path);
  return { kind: object.kind, namespace: object.namespace, name: object.name, field, at: object.document };
}

type BlockName = keyof TrafficBlocks;

/** The part of a traffic policy's origins that speaks of some of its blocks, or that took them away. */
export function blockOrigins(traffic: EffectiveTraffic, ...blocks: readonly BlockName[]): Origins {
  const isAbsent = blocks.some((block) => traffic.blocks[block] === undefined);
  // An entry for the port replaces all blocks, also those that it leaves out.
  const isOf = ({ field }: PolicyOrigin): boolean =>
    blocks.some((block) => field.includes(block)) || (isAbsent && field.at(-2) === 'portLevelSettings');
  return { decidedBy: traffic.origins.decidedBy.filter(isOf), overrode: traffic.origins.overrode.filter(isOf) };
}

/** Both sides' origins; shares an operand when the other is empty. */
export function joinOrigins(a: Origins, b: Origins): Origins {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return { decidedBy: [...a.decidedBy, ...b.decidedBy], overrode: [...a.overrode, ...b.overrode] };
}

function isEmpty(origins: Origins): boolean {
  return origins.decidedBy.length === 0 && origins.overrode.length === 0;
}

/** Place of a service port in its object. */
export function servicePortSpan(service: Service, port: number): SourceSpan {
  const { object, path } = placeOf(service, port);
  return object.document.spanOf(path);
}

function placeOf(service: Service, number: number): ReturnType<typeof placeOfPort> {
  const port = service.ports.find((it) => it.number === number && it.protocol !== 'udp');
  return port === undefined ? { object: service.object, path: ['spec', 'ports'] } : placeOfPort(service, port);
}

/** Place of a field inside the block that an origin points to or into. */
export function fieldSpan({ at, field }: PolicyOrigin, block: BlockName, ...path: JsonPath): SourceSpan {
  return at.spanOf([...field.slice(0, field.indexOf(block) + 1), ...path]);
}
