import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ResourceFile } from './resource-file.ts';

test('a file without resources has the version that the hash of nothing is', () => {
  const version = createHash('sha256').digest('hex').slice(0, 16);
  expect(new ResourceFile().version).toBe(version);
  expect(new ResourceFile().text).toContain(`"version_info": "${version}"`);
});
