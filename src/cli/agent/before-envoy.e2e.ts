import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProxyProgram } from './testing/proxy-program.ts';
import { serviceMesh } from './testing/sample-mesh.ts';

/** Writes what Node has loaded of its own when the first program is started. */
const noteLoaded = `const { ChildProcess } = require('node:child_process');
const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (...args) {
  require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(process.moduleLoadList));
  ChildProcess.prototype.spawn = spawn;
  return spawn.apply(this, args);
};
`;

/** Each takes one to five milliseconds to load. */
const late = ['assert', 'crypto', 'dns', 'http', 'http2', 'https', 'tls', 'v8', 'worker_threads', 'zlib'];

let proxy: ProxyProgram;
beforeEach(async () => {
  proxy = await ProxyProgram.create(serviceMesh);
});
afterEach(() => proxy.close());

test('a client of a control plane starts Envoy before it loads what Node needs for connections', async () => {
  await proxy.write('note-loaded.cjs', noteLoaded);
  await proxy.write('mesh.yaml', 'defaultConfig: {discoveryAddress: "127.0.0.1:1"}\n');
  const environment = {
    INSTANCE_IP: '127.0.0.1',
    LOADED: join(proxy.folder, 'loaded.json'),
    NODE_OPTIONS: `--require=${join(proxy.folder, 'note-loaded.cjs')}`,
  };
  proxy.start({ args: ['--meshConfig', 'mesh.yaml'], environment });
  await proxy.logged('Envoy started');
  const loaded: readonly string[] = JSON.parse(proxy.run(['cat', join(proxy.folder, 'loaded.json')]).stdout);
  expect(loaded).toContain('NativeModule net');
  expect(loaded.filter((name) => late.includes(name.replace('NativeModule ', '')))).toEqual([]);
});
