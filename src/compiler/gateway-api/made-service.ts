import type { JsonPath } from '../../diagnostics/span.ts';
import type { MeshObject, WrittenField } from '../../policy/object.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import type { ServedListener } from './listeners.ts';
import { type Made, madeObject } from './made-object.ts';

/** A part of an object, and where its fields are written. */
export interface WrittenPart {
  readonly writtenAs: (path: JsonPath) => WrittenField;
}

/** The routes that a VirtualService is made of; without any, the listener alone says what it says. */
export interface ServiceSources {
  /** Where each of the made routes is written. */
  readonly parts: readonly WrittenPart[];
  readonly sources: readonly MeshObject<string>[];
}

/** A VirtualService for a host of one listener. */
export function madeService(
  { gateway, index, listener, made }: ServedListener,
  host: string,
  routes: Pick<VirtualService['spec'], 'http' | 'tls'>,
  { parts, sources }: ServiceSources = { parts: [], sources: [] },
): Made<VirtualService> {
  const { namespace, name } = made.object;
  const spec: VirtualService['spec'] = {
    hosts: [host],
    gateways: [`${namespace}/${name}`],
    exportTo: ['*'],
    ...routes,
  };
  const writtenAs = ([, field, entry, ...rest]: JsonPath): WrittenField => {
    const [source] = sources;
    if (source === undefined) return { object: gateway, field: ['spec', 'listeners', index] };
    const part = field === 'http' || field === 'tls' ? parts[Number(entry)] : undefined;
    return part?.writtenAs(rest) ?? { object: source, field: ['spec', field === 'hosts' ? 'hostnames' : 'parentRefs'] };
  };
  const object = madeObject('VirtualService', { base: gateway, parts: [listener.name, host], spec }, writtenAs);
  return { object: { ...object, spec }, sources: [gateway, ...sources] };
}
