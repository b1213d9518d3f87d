import { describe, expect, test } from 'vitest';
import { sampleFiles } from '../../agent/testing/sample-proxy.ts';
import { FileReceiver, FileSender } from './plain-files.ts';

const sample = { configPath: 'proxy', adminPort: 1, httpPort: 2, tlsPort: 3, body: 'one' };
const beside = new Map<string, string>();

describe('files that another thread sends', () => {
  const sent = (files = sampleFiles(sample)) => structuredClone(new FileSender().send(files));

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

  test('are sent once: of a file that the result before had too, only the version is sent', () => {
    const sender = new FileSender();
    const receiver = new FileReceiver();
    const send = (files = sampleFiles(sample)) => {
      const message = structuredClone(sender.send(files));
      return { message, files: receiver.receive(message, beside) };
    };
    const upstream = { name: 'up', port: 4 };
    const first = send(sampleFiles({ ...sample, upstream }));
    const next = send(sampleFiles({ ...sample, upstream, httpPort: 5 }));
    expect(first.message.clusters).toHaveProperty('text');
    expect(next.message.clusters).toEqual({ knownVersion: first.files.clusters.version });
    expect(next.message.listeners).toHaveProperty('text');
    expect(next.files.clusters).toBe(first.files.clusters);
    send(sampleFiles(sample));
    expect(send(sampleFiles({ ...sample, upstream })).message.clusters).toHaveProperty('text');
  });

  test('are refused where one is named as known that was never sent', () => {
    const sender = new FileSender();
    sender.send(sampleFiles(sample));
    const second = sender.send(sampleFiles(sample));
    expect(() => new FileReceiver().receive(second, beside)).toThrow('was not sent before');
  });
});
