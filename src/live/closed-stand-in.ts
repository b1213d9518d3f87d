import { selectedLabels } from '../compiler/reach.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import { isStandIn, standInPath } from './good-versions.ts';
import { nameOf } from './object-name.ts';

/**
 * What others are to take a PeerAuthentication for that is left out: the proxies that it selects wait for it, and
 * nobody may send them in plaintext what it might have asked mutual TLS for. Undefined for all other kinds.
 */
export function closedStandIn(object: JsonObject, file: SourceFile): SourceFile | undefined {
  const { kind, namespace, name } = nameOf(object);
  if (kind !== 'PeerAuthentication' || isStandIn(file.path)) return undefined;
  const matchLabels = selectedLabels(object);
  const { apiVersion } = object;
  const text = JSON.stringify({
    ...{ apiVersion: typeof apiVersion === 'string' ? apiVersion : '', kind, metadata: { name, namespace } },
    spec: { ...(matchLabels === undefined ? {} : { selector: { matchLabels } }), mtls: { mode: 'STRICT' } },
  });
  return { path: standInPath(file.path, { kind, namespace, name }), text };
}
