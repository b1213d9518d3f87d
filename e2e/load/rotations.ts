import { X509Certificate } from 'node:crypto';
import { scratch } from '../../src/testbed/sandbox.ts';
import { proxyUid } from '../../src/testbed/sidecar.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import { until } from '../../src/testbed/until.ts';
import type { IssuedCertificate } from '../../src/testing/certificates.ts';

/** Renews the certificates of these pods so many times; each time returns when every Envoy shows its new one. */
export async function rotate(testbed: Testbed, pods: readonly string[], times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await Promise.all(pods.map((pod) => rotateOnce(testbed, pod)));
}

async function rotateOnce(testbed: Testbed, name: string): Promise<void> {
  const { pod } = testbed.sidecar(name);
  const issued = await testbed.ca.issue(`spiffe://cluster.local/ns/${pod.namespace}/sa/${pod.serviceAccount}`);
  await replaceFiles(testbed, `${scratch}/${pod.network}/certs`, issued);
  const serial = new X509Certificate(issued.certificateChain).serialNumber.toLowerCase();
  const isShown = async (): Promise<true | undefined> =>
    (await testbed.sidecar(name).admin('GET', '/certs')).includes(serial) ? true : undefined;
  const otherwise = async (): Promise<string> =>
    `${name} does not show ${serial}:\n${(await testbed.sidecar(name).output()).slice(-2_000)}`;
  await until(isShown, { timeoutMs: 90_000, everyMs: 100, otherwise });
}

/** Each file by one rename, as whoever provisions certificates does it: for a moment chain and key do not match. */
async function replaceFiles({ sandbox }: Testbed, folder: string, issued: IssuedCertificate): Promise<void> {
  const script = `
umask 077
cd ${folder}
cat > .key <<'PEM'
${issued.privateKey}PEM
cat > .chain <<'PEM'
${issued.certificateChain}PEM
chown ${proxyUid}:${proxyUid} .key .chain
mv .key key.pem
mv .chain cert-chain.pem
`;
  await sandbox.must(['sh', '-e'], { stdin: script });
}
