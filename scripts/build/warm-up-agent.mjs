import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Says that it is an Envoy, and ends as soon as it is started as one. */
const standIn = `#!/bin/sh
[ "$1" != --version ] || echo 'stand-in version: 0/1.40.0/Clean/RELEASE/None'
`;

/** One start of `pilot-agent proxy`, in a folder of its own and with no port open: the machine may run an agent. */
export async function warmUp({ runPilotAgent }) {
  const policies = ['topology.yaml', 'policies/namespace-strict.yaml'].map((file) =>
    resolve('examples/first-mesh', file),
  );
  const home = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
  process.chdir(folder);
  try {
    writeFileSync('envoy', standIn, { mode: 0o755 });
    writeFileSync('mesh.yaml', `defaultConfig: {statusPort: 0, proxyAdminPort: ${await freePort()}}\n`);
    const flags = [
      '--id',
      'httpbin.foo',
      '--meshConfig',
      'mesh.yaml',
      '--proxyBinary',
      './envoy',
      '--log_target',
      'log',
    ];
    await runPilotAgent(['proxy', ...flags, '--policies', ...policies], {
      environment: { PROV_CERT: 'certs' },
      signals: {
        ...{ stop: never(), hurry: never(), kill: never(), catchCrashes: never },
        ...{ onHangUp: () => {}, release: () => {} },
      },
    });
  } finally {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  }
}

function never() {
  return new AbortController().signal;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
