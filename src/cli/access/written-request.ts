import { isIP } from 'node:net';
import type { AccessRequest } from '../../access/evaluate/access-request.ts';
import type { Client } from '../../access/evaluate/client.ts';
import type { Target } from '../../access/resolve-target.ts';
import type { WrittenRequest } from '../../config/policy-test.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { askedRequest } from './asked-request.ts';
import { parseClient, parseTarget } from './explain-options.ts';
import type { OpenMesh } from './open-mesh.ts';
import { withOwnTls } from './own-tls.ts';

/** The request of a case, once for each address that its client may connect to; throws where it makes no sense in the mesh. */
export function writtenAccesses(
  written: WrittenRequest,
  { world, snapshot }: Pick<OpenMesh, 'world' | 'snapshot'>,
): readonly AccessRequest[] {
  const { from, to, headers = {}, token, claims, port, address, sni, ...rest } = written;
  if (from === undefined) throw new UsageError('the request has no "from"');
  if (to === undefined) throw new UsageError('the request has no "to"');
  if (written.protocol === 'tcp' && (claims ?? token) !== undefined)
    throw new UsageError('only requests carry tokens: leave "claims" and "token" out, or "protocol: tcp"');
  const bearer = token === undefined ? [] : [['authorization', `Bearer ${token}`] as const];
  const header = [...Object.entries(headers), ...bearer];
  const options = {
    ...rest,
    from: clientOf(parseClient(from), written),
    to: targetOf(parseTarget(to), written),
    header,
  };
  return askedRequest(world, options, snapshot.settings).accesses;
}

function targetOf(to: Target, { port }: WrittenRequest): Target {
  if (port === undefined) return to;
  if (to.port !== undefined) throw new UsageError('the port stands twice: leave it out of "to", or "port" out');
  return { ...to, port };
}

/** A client outside with the address that it connects from; any client with TLS of its own where it names a server. */
function clientOf(client: Client, { address, sni, protocol = 'http' }: WrittenRequest): Client {
  const placed = address === undefined ? client : placedAt(client, address);
  return sni === undefined ? placed : withOwnTls(placed, sni, protocol);
}

function placedAt(client: Client, address: string): Client {
  if (client.kind === 'workload') {
    throw new UsageError(
      `"address" is of clients outside: the input has the address of ${client.namespace}/${client.name}; use from: outside, or a SPIFFE ID`,
    );
  }
  if (isIP(address) === 0) throw new UsageError(`"${address}" is no IP address (address)`);
  return { ...client, address };
}
