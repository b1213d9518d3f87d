import { expect, test } from 'vitest';
import { explainRootNamespace } from '../../compiler/root-namespace.ts';
import { defaultSettings } from '../../config/defaults.ts';
import type { CompileResult } from '../../contracts/compile-result.ts';
import * as make from '../../testing/objects.ts';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { tellRootNamespace } from './tell-root.ts';

test('the log says once which root namespace is in force and why, and again when it is decided', async () => {
  const policy = make.peerAuthentication('mesh-system/strict', {});
  const other = make.peerAuthentication('mesh-system/other', {});
  const named = {
    ...defaultSettings,
    origins: { rootNamespace: { source: 'flag', detail: '--root-namespace' } as const },
  };
  const roots = [
    explainRootNamespace([], defaultSettings, undefined),
    explainRootNamespace([policy], defaultSettings, 'mesh-system'),
    explainRootNamespace([other], defaultSettings, 'mesh-system'),
    explainRootNamespace([], defaultSettings, 'mesh-system'),
    explainRootNamespace([], named, undefined),
  ];
  const files = sampleFiles({ configPath: '/run/proxy', adminPort: 1, httpPort: 2, body: '' });
  const results: CompileResult[] = roots.map((rootNamespace) => ({ files, warnings: [], rootNamespace }));
  const lines: unknown[] = [];
  const log = { info: (text: string, fields: unknown) => lines.push([text, fields]) };
  const compile = tellRootNamespace(async () => results.shift() ?? { problems: ['no'] }, log);
  for (let i = 0; i < 6; i++) {
    const result = await compile();
    if ('files' in result) result.accept?.();
  }
  expect(lines).toEqual([
    [
      'root namespace',
      { name: 'mesh-system', why: 'the default; no policy stands in mesh-system or istio-system yet', decided: false },
    ],
    [
      'root namespace',
      { name: 'mesh-system', why: 'PeerAuthentication mesh-system/strict stands there', decided: true },
    ],
  ]);
  expect(roots.slice(3).map(({ why }) => why)).toEqual([
    'a policy stood there when the agent decided',
    'named by --root-namespace',
  ]);
});
