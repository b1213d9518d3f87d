import { setTimeout as delay } from 'node:timers/promises';
import { AgentFolder } from './agent-folder.ts';
import { line } from './measure.ts';
import { Meshd } from './meshd-folder.ts';
import { cpuPercent, residentMib } from './process-cost.ts';
import type { Program } from './program.ts';

/** V8 tidies up once after the start. */
const settleSeconds = 10;
const restSeconds = 20;

/** Resident memory of an agent whose certificates `meshd serve` signs, at rest and as they are renewed every few seconds. */
export async function identityMemory(): Promise<void> {
  const meshd = await Meshd.start('ECDSA');
  try {
    await measure(meshd, 'a certificate for a day', {});
    await measure(meshd, 'renewed every 5 s or so', { SECRET_TTL: '10s' });
    await measure(meshd, 'RSA, renewed every 5 s or so', { SECRET_TTL: '10s', ECC_SIGNATURE_ALGORITHM: '' });
  } finally {
    await meshd.end();
  }
}

async function measure(meshd: Meshd, label: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const folder = await AgentFolder.create(0);
  await folder.write('var/run/secrets/mesh/root-cert.pem', await meshd.root());
  await folder.write('var/run/secrets/tokens/mesh-token', await meshd.mint.mint('foo/httpbin'));
  const common = { CA_ADDR: 'localhost:15012', PROV_CERT: '', ECC_SIGNATURE_ALGORITHM: 'ECDSA' };
  const agent: Program = folder.start({ environment: { ...common, ...environment } });
  try {
    await agent.seen('state=running');
    await delay(settleSeconds * 1_000);
    const cpu = await cpuPercent(agent.pid, restSeconds);
    const { now, peak } = residentMib(agent.pid);
    const renewals = agent.output.match(/identity in service/g)?.length ?? 0;
    line(
      `identity from meshd, ${label}`,
      `${now.toFixed(0)} MiB, peak ${peak.toFixed(0)} MiB`,
      `CPU ${cpu.toFixed(2)} %`,
      `${renewals} certificates in ${settleSeconds + restSeconds} s`,
    );
  } finally {
    await agent.end();
    await folder.remove();
  }
}
