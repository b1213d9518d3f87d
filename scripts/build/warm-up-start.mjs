import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Says that it is an Envoy, and ends as soon as it is started as one. */
const standIn = `#!/bin/sh
[ "$1" != --version ] || echo 'stand-in version: 0/1.40.0/Clean/RELEASE/None'
`;

/** One start of `pilot-agent proxy`, in a folder of its own and with no port open: the machine may run an agent. */
export async function startOnce(runPilotAgent, { flags = [], proxyConfig = {}, environment = {} }) {
  const home = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
  process.chdir(folder);
  try {
    writeFileSync('envoy', standIn, { mode: 0o755 });
    const defaultConfig = { statusPort: 0, proxyAdminPort: await freePort(), ...proxyConfig };
    writeFileSync('mesh.yaml', JSON.stringify({ defaultConfig }));
    const own = ['--id', 'httpbin.foo', '--meshConfig', 'mesh.yaml', '--proxyBinary', './envoy', '--log_target', 'log'];
    await runPilotAgent(['proxy', ...own, ...flags], {
      environment: { PROV_CERT: 'certs', ...environment },
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
