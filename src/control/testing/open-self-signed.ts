import { appendFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A program that opens the CA in a folder and tells the root's fingerprint. With KILL_AT it kills itself before
 * its file system call of that number, from 0 on, and tells how many there were when it comes to its end.
 */
const [folder = '', told = ''] = process.argv.slice(2);
const killAt = Number(process.env.KILL_AT ?? Number.POSITIVE_INFINITY);
let calls = 0;

type Call = (...parameters: unknown[]) => Promise<unknown>;

function counted(call: Call): Call {
  return async (...parameters) => {
    if (calls++ === killAt) process.kill(process.pid, 'SIGKILL');
    return await call(...parameters);
  };
}

const patched = files as unknown as Record<string, Call>;
for (const name of ['mkdir', 'readFile', 'link', 'rename', 'rm', 'readdir', 'stat']) {
  patched[name] = counted(patched[name] as Call);
}
const open = files.open as unknown as Call;
patched.open = counted(async (...parameters) => {
  const handle = (await open(...parameters)) as Record<string, Call>;
  for (const name of ['writeFile', 'sync', 'close']) handle[name] = counted((handle[name] as Call).bind(handle));
  return handle;
});
syncBuiltinESMExports();

const { openSelfSigned } = await import('../ca/self-signed.ts');
const signer = await openSelfSigned({ folder, trustDomain: 'cluster.local', keyAlgorithm: 'ECDSA', clock: Date.now });
appendFileSync(told, `${signer.rootFingerprint} ${calls}\n`);
