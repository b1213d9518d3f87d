import { describe, expect, test } from 'vitest';
import { sampleFiles } from '../agent/testing/sample-proxy.ts';
import { ResourceFile } from '../envoy/api/resource-file.ts';
import { isTooLongForText, lengthOf } from './output-length.ts';

describe('lengthOf', () => {
  const files = sampleFiles({ configPath: 'proxy', adminPort: 1, httpPort: 2, body: 'one' });

  test('is at least that of all texts together', () => {
    const texts = [files.clusters, files.listeners, ...files.routes.values()].flatMap(({ resources }) => resources);
    expect(lengthOf(files)).toBeGreaterThan(texts.map(({ text }) => text).join('').length);
  });

  test('of a file that is longer than the longest string of V8 throws the error of V8, before the text is made', () => {
    // V8 repeats a text without writing it out.
    const half = { name: 'half', version: '', json: {}, text: 'x'.repeat(2 ** 28) };
    const measure = (): number => lengthOf({ ...files, clusters: new ResourceFile([half, half]) });
    expect(measure).toThrow(expect.toSatisfy(isTooLongForText));
  });
});
