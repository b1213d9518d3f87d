import type { Connection, HttpRequest } from '../../access/request.ts';
import type { GaugeCase } from '../../gauge/gauge-case.ts';
import type { GaugedMesh } from '../gauged-mesh.ts';

/** A request that tells Envoy from a model of it with one mistake; the words say which. */
export type Row = readonly [what: string, sent: Sent];

/** A request, and what its connection has that is not usual. */
export interface Sent {
  readonly request: HttpRequest;
  readonly connection?: Partial<Connection>;
}

/** A case that chance hardly makes. Every outcome of its prediction is what Envoy does. */
export interface TellingCase {
  readonly mesh: GaugedMesh;
  readonly sent: GaugeCase;
  readonly isCertain: true;
}

type Header = readonly [name: string, value: string];

/** A GET request of this path. */
export function get(path: string, ...headers: readonly Header[]): Sent {
  return { request: { method: 'GET', path, authority: 'httpbin.foo', headers } };
}

/** The same request for another host. */
export function at(authority: string, { request, connection }: Sent): Sent {
  return { request: { ...request, authority }, ...(connection !== undefined && { connection }) };
}

/** The same request on another connection. */
export function over(connection: Partial<Connection>, { request }: Sent): Sent {
  return { request, connection };
}

/** The cases of rows, sent to this port of a workload. */
export function casesOf(mesh: GaugedMesh, port: number, rows: readonly Row[]): readonly TellingCase[] {
  return rows.map(([, { request, connection }]) => {
    const usual: Connection = {
      source: '10.9.0.5',
      destination: { address: mesh.address, port },
      protocol: 'http/1.1',
    };
    return { mesh, sent: { request, connection: { ...usual, ...connection } }, isCertain: true };
  });
}
