import { contentVersion, type DiscoveryResource, type DiscoveryType } from './resource.ts';
import type { PushStep } from './scope.ts';
import { readStringFields, stringFields } from './string-fields.ts';

/** Why a proxy does not have what the inputs say, for its agent to log. */
export interface ProxyFault {
  /** The invalid object (`<kind>/<namespace>/<name>`), or the place of a document that is none. */
  readonly name: string;
  readonly text: string;
}

/** A type of our own: `message ProxyFault { string name = 1; string text = 2; }`. No Envoy asks for it. */
export const faultType: DiscoveryType = {
  typeUrl: 'type.googleapis.com/mesh.discovery.v1.ProxyFault',
  hasWildcard: true,
};

/** Faults wait for nothing, and nothing waits for them. */
export const faultStep: PushStep = { typeUrl: faultType.typeUrl, removes: true, waits: false };

/** A fault as a resource. */
export function faultResource({ name, text }: ProxyFault): DiscoveryResource {
  const body = stringFields([
    [1, name],
    [2, text],
  ]);
  return { name, version: contentVersion(name, text), body };
}

/** The text of a fault; undefined: these bytes are none. */
export function faultText(body: Uint8Array): string | undefined {
  return readStringFields(body)?.get(2)?.at(-1);
}
