import { contentVersion, type DiscoveryResource, type DiscoveryType } from './resource.ts';
import type { PushStep } from './scope.ts';

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
  const body = Buffer.concat([stringField(1, name), stringField(2, text)]);
  return { name, version: contentVersion(name, text), body };
}

/** The text of a fault; undefined: these bytes are none. */
export function faultText(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let text: string | undefined;
  for (let at = 0; at < bytes.length; ) {
    const field = (bytes[at] ?? 0) >> 3;
    const { value: length, next } = readLength(bytes, at + 1);
    if (((bytes[at] ?? 0) & 7) !== 2 || next + length > bytes.length) return undefined;
    if (field === 2) text = bytes.toString('utf8', next, next + length);
    at = next + length;
  }
  return text;
}

function stringField(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = [(number << 3) | 2];
  let left = bytes.length;
  for (; left > 127; left >>>= 7) head.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([...head, left]), bytes]);
}

function readLength(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i] ?? 0;
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, next: at + i + 1 };
  }
  return { value: Number.MAX_SAFE_INTEGER, next: at };
}
