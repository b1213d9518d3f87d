import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { EndpointSlice, Endpoints, ObjectReference } from '../../policy/topology-kinds.ts';
import { nameOf } from './object-name.ts';
import type { Records } from './registry.ts';

/** Addresses that the cluster wrote down for a service, and the ports that all of them serve. */
export interface EndpointRecord {
  readonly object: MeshObject<string>;
  readonly ports: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[];
  readonly addresses: readonly RecordedAddress[];
}

export interface RecordedAddress {
  readonly text: string;
  readonly isReady: boolean;
  readonly reference: ObjectReference | undefined;
  readonly zone: string | undefined;
  readonly path: JsonPath;
}

/**
 * What Endpoints or EndpointSlices say of a service; undefined when neither speaks of it. Where both do, Endpoints that
 * the cluster cut off lose; else PILOT_USE_ENDPOINT_SLICE decides.
 */
export function recordsOf(
  { endpoints: object, slices: all }: Records,
  settings: Settings,
  bag: DiagnosticBag,
): EndpointRecord[] | undefined {
  const slices = all.filter((slice) => isReadable(slice, bag));
  if (slices.length > 0 && (object === undefined || settings.useEndpointSlice || isTruncated(object))) {
    return slices.map(recordOfSlice);
  }
  if (object === undefined) return undefined;
  if (isTruncated(object)) {
    const span = object.document.spanOf(['metadata', 'annotations', overCapacity]);
    bag.report('truncated-endpoints', span, { name: nameOf(object) });
  }
  return recordsOfEndpoints(object);
}

/** The cluster keeps at most 1000 addresses in Endpoints and marks those of a service that has more. */
const overCapacity = 'endpoints.kubernetes.io/over-capacity';

function isTruncated(object: Endpoints): boolean {
  return object.annotations[overCapacity] === 'truncated';
}

function isReadable(slice: EndpointSlice, bag: DiagnosticBag): boolean {
  if (slice.addressType !== 'FQDN') return true;
  bag.report('unread-endpoint-slice', slice.document.spanOf(['addressType']), { name: nameOf(slice) });
  return false;
}

function recordsOfEndpoints(object: Endpoints): EndpointRecord[] {
  return (object.subsets ?? []).map((subset, s) => {
    const addresses = (field: 'addresses' | 'notReadyAddresses'): RecordedAddress[] =>
      (subset[field] ?? []).map(({ ip, targetRef }, i) => {
        const path = ['subsets', s, field, i, 'ip'];
        return { text: ip, isReady: field === 'addresses', reference: targetRef, zone: undefined, path };
      });
    return {
      object,
      ports: subset.ports ?? [],
      addresses: [...addresses('addresses'), ...addresses('notReadyAddresses')],
    };
  });
}

function recordOfSlice(slice: EndpointSlice): EndpointRecord {
  const addresses = (slice.endpoints ?? []).flatMap(({ addresses, conditions, targetRef, zone }, e) =>
    addresses.map((text, i): RecordedAddress => {
      const path = ['endpoints', e, 'addresses', i];
      return { text, isReady: conditions?.ready !== false, reference: targetRef, zone, path };
    }),
  );
  return { object: slice, ports: slice.ports ?? [], addresses };
}
