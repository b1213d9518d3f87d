import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { MeshObject } from '../../policy/object.ts';
import { canonicalAddress, isHostName, isSocketAddress } from './address.ts';

/** An IP address in canonical form, a host name in lower case, or a Unix socket; anything else is reported and left out. */
export function dialedAddress(object: MeshObject<string>, path: JsonPath, text: string, bag: DiagnosticBag): string[] {
  if (isSocketAddress(text)) return [text];
  const address = canonicalAddress(text) ?? (isHostName(text) ? text.toLowerCase() : undefined);
  return address === undefined ? ipAddress(object, path, text, bag) : [address];
}

/** An IP address in canonical form; anything else is reported and left out. */
export function ipAddress(object: MeshObject<string>, path: JsonPath, text: string, bag: DiagnosticBag): string[] {
  const address = canonicalAddress(text);
  if (address !== undefined) return [address];
  bag.report('invalid-address', object.document.spanOf(path), { value: text });
  return [];
}
