import { describe, expect, test } from 'vitest';
import { predict } from '../../testing/gauge-prediction.ts';
import { compileGauged, peerAuthentication } from '../../testing/gauged-mesh.ts';
import type { ClientTls } from '../request.ts';
import { Signatures } from '../signatures.ts';

const address = '10.1.0.1';
const judge = { now: 0, signatures: new Signatures() };
const client: ClientTls = { serverName: 'shop.example', alpn: [] };

const named = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: named, namespace: foo}
spec: {rules: [{when: [{key: connection.sni, values: [shop.example]}]}]}
`;

/** What becomes of TLS that a client speaks to a port with bytes (9000) or HTTP (8080). */
async function outcomeOf(mode: string, port: number, policies = '') {
  const workload = await compileGauged(address, `${peerAuthentication(mode)}---\n${policies}`);
  const protocol = port === 9000 ? 'bytes' : 'http/1.1';
  const request = port === 9000 ? undefined : { method: 'GET', path: '/', authority: 'shop.example', headers: [] };
  const connection = { source: '10.9.0.5', destination: { address, port }, protocol, tls: client } as const;
  const [only, ...others] = predict(
    workload,
    { connection, ...(request !== undefined && { request }) },
    request,
    judge,
  );
  expect(others).toEqual([]);
  return only?.result.outcome;
}

describe('the server name of TLS that goes on to the application', () => {
  test('is known where the proxy looks for the certificates of the mesh', async () => {
    expect(await outcomeOf('PERMISSIVE', 9000, named)).toMatchObject({ kind: 'reaches', tls: client });
  });

  test('is not known where it takes plain text alone, since no inspector reads it', async () => {
    expect(await outcomeOf('DISABLE', 9000, named)).toMatchObject({ kind: 'closed', exitCodes: [52] });
  });

  test('goes on also where rules do not know it', async () => {
    expect(await outcomeOf('DISABLE', 9000)).toMatchObject({ kind: 'reaches', tls: client });
  });
});

test('curl takes the answer to TLS on a port with HTTP in plain text for a fault of TLS', async () => {
  expect(await outcomeOf('DISABLE', 8080)).toMatchObject({ kind: 'closed', exitCodes: [35] });
});
