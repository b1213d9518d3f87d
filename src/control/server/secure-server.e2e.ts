import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { causesText } from '../../lib/failure.ts';
import { CertificateSource } from './certificate-provider.ts';
import { startSecureServer } from './secure-server.ts';

test('says in one line of its own why it cannot serve an address', async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { readonly port: number };
  const said = vi.spyOn(console, 'error');
  onTestFinished(() => said.mockRestore());
  const started = startSecureServer({
    ...{ address: { host: '127.0.0.1', port }, certificates: new CertificateSource(), admit: undefined },
    ...{ maxMessageBytes: 1_000_000, maxStreams: 100, refused: () => undefined },
  });
  const place = `127.0.0.1:${port}`;
  expect(await started.then(() => 'serves', causesText)).toBe(
    `cannot serve ${place}: listen EADDRINUSE: address already in use ${place}`,
  );
  expect(said).not.toHaveBeenCalled();
});
