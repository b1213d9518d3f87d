import { expect, test } from 'vitest';
import type { CompileResult } from '../../contracts/compile-result.ts';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { allowHosts } from './allow-hosts.ts';

test('allowHosts names the hosts of a compilation once it is in force, not before, and none of one that failed', async () => {
  const files = sampleFiles({ configPath: '/run/proxy', adminPort: 1, httpPort: 2, body: '' });
  const results: CompileResult[] = [
    { files, warnings: [], jwksAllowedHosts: ['keys.internal'] },
    { files, warnings: [] },
    { problems: ['no'] },
  ];
  const named: unknown[] = [];
  const compile = allowHosts(async () => results.shift() ?? { problems: [] }, { allow: (hosts) => named.push(hosts) });
  const first = await compile();
  expect(named).toEqual([]);
  for (const result of [first, await compile(), await compile()]) if ('files' in result) result.accept?.();
  expect(named).toEqual([['keys.internal']]);
});
