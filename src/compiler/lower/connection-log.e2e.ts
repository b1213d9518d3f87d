import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChainEnvoy, chainClients, startChainEnvoy } from './testing/chain-envoy.ts';

let envoy: ChainEnvoy;

beforeAll(async () => {
  envoy = await startChainEnvoy();
});
afterAll(() => envoy?.close());

describe('the log of connections', () => {
  test('has no line for what succeeds, and one with its reason for each refusal', async () => {
    const { portOf, logged } = envoy;
    await envoy.logEveryConnection(0);
    logged.length = 0;
    const { bytes = '', ...plain } = chainClients['plain http'] ?? {};
    await envoy.send(portOf.get('PERMISSIVE http') ?? 0, plain, bytes);
    await envoy.send(portOf.get('PERMISSIVE http') ?? 0, chainClients['mesh http'] ?? {}, bytes);
    await envoy.send(portOf.get('DISABLE http') ?? 0, plain, bytes);
    await envoy.send(portOf.get('STRICT http') ?? 0, plain, bytes);
    await sendWithoutCertificate(portOf.get('STRICT http') ?? 0);
    await expect.poll(() => logged.length, { timeout: 5000, interval: 5 }).toBe(2);
    expect(logged).toMatchObject([
      { filter_chain: null, response_flags: 'NR', transport_failure: expect.stringContaining('HTTP_REQUEST') },
      {
        filter_chain: expect.stringContaining('-mtls-http'),
        transport_failure: expect.stringContaining('PEER_DID_NOT_RETURN_A_CERTIFICATE'),
      },
    ]);
  });

  test('says nothing of TLS where a plaintext connection succeeded and every connection is logged', async () => {
    const { portOf, logged } = envoy;
    await envoy.logEveryConnection(100);
    logged.length = 0;
    const { bytes = '', ...plain } = chainClients['plain http'] ?? {};
    await envoy.send(portOf.get('PERMISSIVE http') ?? 0, plain, bytes);
    await expect.poll(() => logged.length, { timeout: 5000, interval: 5 }).toBe(1);
    expect(logged).toMatchObject([{ filter_chain: expect.stringContaining('-plain-http'), response_flags: '-' }]);
    expect(logged[0]?.transport_failure || '').toBe('');
  });
});

/** A handshake that ends without a client certificate, and with it the connection. */
async function sendWithoutCertificate(port: number): Promise<void> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['mesh'] });
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('close', resolve));
}
