import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { delay } from '../../lib/abort.ts';
import { type ChainEnvoy, chainClients, chainRows, startChainEnvoy } from './testing/chain-envoy.ts';
import { matchChain } from './testing/match-chain.ts';

let envoy: ChainEnvoy;

beforeAll(async () => {
  envoy = await startChainEnvoy();
});
afterAll(() => envoy?.close());

describe('Envoy takes the chain that the tests’ model of it takes', () => {
  const table = chainRows.flatMap((row) => Object.keys(chainClients).map((client) => [row, client] as const));

  test.each(table)('%s port, %s', async (row, client) => {
    const { listener, portOf, logged } = envoy;
    const { bytes, ...connection } = chainClients[client] ?? { bytes: '' };
    const port = portOf.get(row) ?? 0;
    const expected = matchChain(listener, { ...connection, port })?.name ?? null;
    logged.length = 0;
    const end = await envoy.send(port, connection, bytes);
    const chains = (): (string | null)[] => logged.map(({ filter_chain }) => filter_chain);
    await expect.poll(chains, { timeout: 5000, interval: 5 }).toEqual([expected]);
    if (expected === null) expect(end).toBe('reset');
  });
});

describe('a ClientHello that comes after the time of detection', () => {
  test('takes the chain of plaintext, where there is one, and no handshake succeeds', async () => {
    const { listener, portOf, logged } = envoy;
    logged.length = 0;
    const expected = [...portOf.values()].map((port) => String(matchChain(listener, { port })?.name));
    const ends = await Promise.all([...portOf.values()].map(sendLate));
    const chains = (): string[] => logged.map(({ filter_chain }) => String(filter_chain ?? undefined)).sort();
    await expect.poll(chains, { timeout: 5000, interval: 5 }).toEqual(expected.sort());
    expect(new Set(ends)).toEqual(new Set(['refused']));
  });
});

/** A mesh client's handshake that begins after Envoy has given up waiting for it. */
async function sendLate(port: number): Promise<'secured' | 'refused'> {
  const plain = connect({ host: '127.0.0.1', port });
  plain.on('error', () => undefined);
  await delay(defaultSettings.inboundDetectionTimeoutMs + 300);
  if (plain.destroyed) return 'refused';
  const identity = { cert: envoy.certificate.certificateChain, key: envoy.certificate.privateKey };
  const socket = connectTls({ socket: plain, ...identity, ALPNProtocols: ['mesh'], rejectUnauthorized: false });
  return new Promise((resolve) => {
    socket
      .on('error', () => undefined)
      .on('secureConnect', () => {
        resolve('secured');
        socket.destroy();
      });
    socket.on('close', () => resolve('refused'));
    plain.on('close', () => resolve('refused'));
  });
}
