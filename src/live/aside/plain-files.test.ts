import { describe, expect, test } from 'vitest';
import { sampleFiles } from '../../agent/testing/sample-proxy.ts';
import { FileReceiver, plainFiles } from './plain-files.ts';

const sample = { configPath: 'proxy', adminPort: 1, httpPort: 2, tlsPort: 3, body: 'one' };
const beside = new Map<string, string>();

describe('files that another thread sends', () => {
  const sent = (files = sampleFiles(sample)) => structuredClone(plainFiles(files));

  test('are the files that it has', () => {
    const files = sampleFiles({ ...sample, upstream: { name: 'up', port: 4 } });
    const received = new FileReceiver().receive(sent(files), beside);
    expect(received.bootstrap).toEqual(files.bootstrap);
    for (const file of ['clusters', 'listeners'] as const) {
      expect(received[file].text).toBe(files[file].text);
      expect(received[file].version).toBe(files[file].version);
      for (const [i, resource] of files[file].resources.entries()) {
        const { name, version, text, json } = received[file].resources[i] ?? {};
        expect({ name, version, text, json }).toEqual(resource);
      }
    }
    expect([...received.routes].map(([name, { text }]) => [name, text])).toEqual(
      [...files.routes].map(([name, { text }]) => [name, text]),
    );
  });

  test('have no message twice where a resource has not changed', () => {
    const receiver = new FileReceiver();
    const first = receiver.receive(sent(), beside);
    const messages = first.listeners.resources.map(({ json }) => json);
    const next = receiver.receive(sent(sampleFiles({ ...sample, httpPort: 5 })), beside);
    expect(next.listeners.resources[0]?.json).not.toEqual(messages[0]);
    expect(next.listeners.resources[1]?.json).toBe(messages[1]);
  });
});
